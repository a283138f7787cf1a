//go:build cudasim

package nccl_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
	"github.com/poolgen/poolgen/cuda/sim"
)

// rank is a rank with a stream and memory.
type rank struct {
	*nccl.Comm
	t        *testing.T
	s        cuda.Stream
	src, dst cuda.DevicePtr
}

const room = 4096 // bytes at src and dst

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// machine starts a machine with a device for each of n ranks, and calls f for each on a goroutine of its own. Findings fail the test.
func machine(t *testing.T, n int, cfg sim.Config, f func(r *rank)) {
	t.Helper()
	cfg.Devices, cfg.Hazards = n, true
	sim.Reset(cfg)
	id, err := nccl.NewUniqueID()
	must(t, err)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			r := &rank{t: t}
			defer r.open(id, n, i)()
			f(r)
		})
	}
	all.Wait()
}

func (r *rank) open(id nccl.UniqueID, n, i int) (end func()) {
	var err error
	d := cuda.Device(i)
	r.Comm, err = nccl.New(context.Background(), id, n, i, d)
	must(r.t, err)
	r.s, err = d.NewStream(cuda.NonBlocking)
	must(r.t, err)
	r.src, err = d.Alloc(room)
	must(r.t, err)
	r.dst, err = d.Alloc(room)
	must(r.t, err)
	return func() {
		must(r.t, r.s.Synchronize())
		must(r.t, errors.Join(r.Close(), d.Free(r.src), d.Free(r.dst), r.s.Close()))
	}
}

func noFindings(t *testing.T) {
	t.Helper()
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}

// put has the stream write items to src.
func put[T any](r *rank, items ...T) { must(r.t, cuda.CopyToDeviceAsync(r.src, items, r.s)) }

// got compares what is at an address when the stream is done.
func got[T comparable](r *rank, what string, at cuda.DevicePtr, want ...T) {
	r.t.Helper()
	have := make([]T, len(want))
	must(r.t, cuda.CopyToHostAsync(have, at, r.s))
	if !slices.Equal(have, want) {
		r.t.Errorf("%s: rank %d has %v, want %v", what, r.Rank(), have, want)
	}
}

// Every rank gets what NCCL documents, in the order of its stream, whichever order the streams of the machine run in.
func TestTransfers(t *testing.T) {
	for seed := range uint64(20) {
		machine(t, 3, sim.Config{Schedule: seed}, func(r *rank) {
			n := r.Rank()
			f := float32(n)
			put(r, f, 10*f, 1)
			must(t, r.AllReduce(r.dst, r.src, 3, nccl.Float32, nccl.Sum, r.s))
			got[float32](r, "AllReduce", r.dst, 3, 30, 3)
			must(t, r.AllReduce(r.src, r.src, 2, nccl.Float32, nccl.Max, r.s))
			got[float32](r, "AllReduce in place", r.src, 2, 20)
			put(r, int64(n), int64(n)+1<<60)
			must(t, r.AllGather(r.dst, r.src, 2, nccl.Int64, r.s))
			got[int64](r, "AllGather", r.dst, 0, 1<<60, 1, 1<<60+1, 2, 1<<60+2)
			put(r, uint8(1), 2, 3+uint8(n))
			must(t, r.ReduceScatter(r.dst, r.src, 1, nccl.Uint8, nccl.Sum, r.s))
			got(r, "ReduceScatter", r.dst, []uint8{3, 6, 12}[n])
			put(r, int32(100+n))
			must(t, r.Broadcast(r.dst, r.src, 1, nccl.Int32, 1, r.s))
			got[int32](r, "Broadcast", r.dst, 101)
			must(t, nccl.Group(func() error {
				return errors.Join(r.Send(r.src, 1, nccl.Int32, (n+1)%3, r.s), r.Recv(r.dst, 1, nccl.Int32, (n+2)%3, r.s))
			}))
			got(r, "Send and Recv", r.dst, int32(100+(n+2)%3))
		})
		noFindings(t)
	}
}

// Items of 16 bits are combined as numbers, and rounded once.
func TestHalves(t *testing.T) {
	machine(t, 2, sim.Config{}, func(r *rank) {
		half := [][]uint16{{0x3C00, 0x7BFF, 0x0001, 0x3C00}, {0x3C00, 0x7BFF, 0x0001, 0x1000}}[r.Rank()] // 1, 65504, the least, 1 and 2^-11
		put(r, half...)
		must(t, r.AllReduce(r.dst, r.src, 4, nccl.Float16, nccl.Sum, r.s))
		got[uint16](r, "Float16", r.dst, 0x4000, 0x7C00, 0x0002, 0x3C00)
		put(r, []uint16{0x3F80, 0x4040}[r.Rank()]) // 1, 3
		must(t, r.AllReduce(r.dst, r.src, 1, nccl.BFloat16, nccl.Avg, r.s))
		got[uint16](r, "BFloat16", r.dst, 0x4000)
		put(r, math.Inf(1), float64(r.Rank()))
		must(t, r.AllReduce(r.dst, r.src, 2, nccl.Float64, nccl.Min, r.s))
		got(r, "Float64", r.dst, math.Inf(1), 0)
	})
	noFindings(t)
}

// One goroutine can call for several ranks, in a group; then a panic ends the group, too.
func TestGroupOfRanks(t *testing.T) {
	both := make(chan *rank, 2)
	var done sync.WaitGroup
	done.Add(1)
	machine(t, 2, sim.Config{}, func(r *rank) {
		both <- r
		if r.Rank() > 0 {
			done.Wait()
			return
		}
		defer done.Done()
		pair := []*rank{<-both, <-both}
		must(t, nccl.Group(func() error {
			var errs []error
			for _, r := range pair {
				put(r, int32(r.Rank()+1))
				errs = append(errs, r.AllReduce(r.dst, r.src, 1, nccl.Int32, nccl.Prod, r.s))
			}
			return errors.Join(errs...)
		}))
		for _, r := range pair {
			got[int32](r, "AllReduce", r.dst, 2)
		}
		func() {
			defer func() { _ = recover() }()
			_ = nccl.Group(func() error { panic("f fails") })
		}()
		must(t, nccl.Group(func() error { return nil }))
	})
	noFindings(t)
}
