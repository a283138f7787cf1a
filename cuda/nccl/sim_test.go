//go:build cudasim

package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
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

// The ranks of a transfer have to call the same: what differs is reported, and no rank waits for ever.
func TestRanksDiffer(t *testing.T) {
	for name, call := range map[string]func(r *rank) error{
		"count": func(r *rank) error { return r.AllReduce(r.dst, r.src, 1+r.Rank(), nccl.Int8, nccl.Sum, r.s) },
		"type": func(r *rank) error {
			return r.AllReduce(r.dst, r.src, 1, nccl.Type(r.Rank()), nccl.Sum, r.s)
		},
		"op":   func(r *rank) error { return r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Op(r.Rank()), r.s) },
		"root": func(r *rank) error { return r.Broadcast(r.dst, r.src, 1, nccl.Int8, r.Rank(), r.s) },
		"order": func(r *rank) error {
			if r.Rank() == 0 {
				return r.AllGather(r.dst, r.src, 1, nccl.Int8, r.s)
			}
			return r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s)
		},
	} {
		machine(t, 2, sim.Config{}, func(r *rank) {
			must(t, call(r))
			must(t, r.s.Synchronize())
			if err := r.AsyncError(); err == nil || !strings.Contains(err.Error(), "invalid usage") {
				t.Errorf("%s: rank %d learns of %v", name, r.Rank(), err)
			}
		})
		if found := sim.Findings(); len(found) != 1 || !strings.Contains(found[0], "ranks differ") {
			t.Errorf("%s: found %q", name, found)
		}
	}
}

// Two ranks that send first and receive then, without a group, wait for each other.
func TestWithoutGroup(t *testing.T) {
	machine(t, 2, sim.Config{}, func(r *rank) {
		must(t, r.Send(r.src, 1, nccl.Int8, 1-r.Rank(), r.s))
		must(t, r.Recv(r.dst, 1, nccl.Int8, 1-r.Rank(), r.s))
		must(t, r.s.Synchronize())
	})
	if found := sim.Findings(); len(found) != 1 || !strings.Contains(found[0], "into one group") {
		t.Errorf("found %q", found)
	}
}

// A transfer that never ends is ended by Abort, of which the other ranks learn.
func TestAbort(t *testing.T) {
	var aborted sync.WaitGroup
	aborted.Add(1)
	machine(t, 2, sim.Config{}, func(r *rank) {
		if r.Rank() == 0 {
			sim.StallTransfer(1)
			must(t, r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s))
			must(t, r.Abort())
			must(t, r.Abort())
			aborted.Done()
			if err := r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s); !errors.Is(err, poolrt.ErrClosed) {
				t.Errorf("an aborted rank returns %v", err)
			}
			return
		}
		aborted.Wait()
		if err := r.AsyncError(); err == nil || err.(*nccl.Error).Code != nccl.ResultRemoteError {
			t.Errorf("rank 1 learns of %v", err)
		}
	})
	noFindings(t)
}

// Wrong arguments are refused before NCCL has them, with what is wrong.
func TestRefused(t *testing.T) {
	machine(t, 2, sim.Config{}, func(r *rank) {
		other, err := cuda.Device(1 - r.Rank()).DefaultStream()
		must(t, err)
		for want, err := range map[string]error{
			"-1 items":             r.AllReduce(r.dst, r.src, -1, nccl.Int8, nccl.Sum, r.s),
			"no type 10":           r.AllGather(r.dst, r.src, 1, 10, r.s),
			"no operation -1":      r.ReduceScatter(r.dst, r.src, 1, nccl.Int8, -1, r.s),
			"no rank 2":            r.Send(r.src, 1, nccl.Int8, 2, r.s),
			"no rank -1":           r.Broadcast(r.dst, r.src, 1, nccl.Int8, -1, r.s),
			"the stream is of":     r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, other),
			"at least 1":           newError(0, 0),
			"numbered from 0 to 1": newError(2, 2),
			"the address is 0":     second(nccl.Adopt(0)),
		} {
			if e := new(nccl.Error); !errors.As(err, &e) || e.Code != nccl.ResultInvalidArgument || !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	})
	noFindings(t)
}

func newError(ranks, rank int) error {
	return second(nccl.New(context.Background(), nccl.UniqueID{}, ranks, rank, 0))
}

func second[T any](_ T, err error) error { return err }

// A rank waits for the others as long as its context says. When they come later, it is closed.
func TestNewIsCancelled(t *testing.T) {
	sim.Reset(sim.Config{})
	id, err := nccl.NewUniqueID()
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := nccl.New(ctx, id, 2, 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for sim.Live()[sim.KindComm] == 0 {
		time.Sleep(time.Millisecond)
	}
	c, err := nccl.New(context.Background(), id, 2, 1, 1)
	must(t, err)
	must(t, c.Close())
	for sim.Live()[sim.KindComm] != 0 {
		time.Sleep(time.Millisecond)
	}
}

// An adopted rank says what it is, works, and stays when it is closed.
func TestAdopt(t *testing.T) {
	machine(t, 2, sim.Config{}, func(r *rank) {
		a, err := nccl.Adopt(r.Handle())
		must(t, err)
		if a.Rank() != r.Rank() || a.Ranks() != 2 || a.Device() != r.Device() {
			t.Errorf("adopted rank %d of %d on device %d", a.Rank(), a.Ranks(), a.Device())
		}
		if err := a.Abort(); err == nil || !strings.Contains(err.Error(), "another binding") {
			t.Errorf("Abort of another binding's rank: %v", err)
		}
		must(t, a.Close())
		must(t, r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s))
	})
	noFindings(t)
}

// What the library refuses is an error that says which call and why, and the thread has its context back.
func TestFaults(t *testing.T) {
	machine(t, 1, sim.Config{}, func(r *rank) {
		for function, call := range map[string]func() error{
			"ncclAllReduce":         func() error { return r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s) },
			"ncclCommGetAsyncError": r.AsyncError,
			"ncclGroupStart":        func() error { return nccl.Group(func() error { return nil }) },
			"ncclGroupEnd":          func() error { return nccl.Group(func() error { return nil }) },
			"ncclGetUniqueId":       func() error { return second(nccl.NewUniqueID()) },
			"ncclGetVersion":        func() error { return second(nccl.Version()) },
			"ncclCommCount":         func() error { return second(nccl.Adopt(r.Handle())) },
		} {
			sim.Fail(function, 1, 2)
			want := fmt.Sprintf("nccl: %s", strings.TrimPrefix(function, "nccl"))
			if err := call(); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "unhandled system error") {
				t.Errorf("%s fails with %v", function, err)
			}
			must(t, call())
		}
	})
	noFindings(t)
	if v, err := nccl.Version(); v != "2.28.9" || err != nil || nccl.LibraryPath() != "simulator" {
		t.Errorf("version %q at %q, %v", v, nccl.LibraryPath(), err)
	}
}
