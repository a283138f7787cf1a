//go:build cudasim

// Package matrix is run by the test in tests/pools/devices, which writes the pools and their list.
package matrix

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// fill writes to a block and waits for it, as plain frees require that no work is pending. A failure of fill is not a failure of the pool.
func fill(block any) {
	switch b := block.(type) {
	case rig.Tiles:
	case []byte:
		clear(b)
	case *[1024]byte:
		*b = [1024]byte{}
	case interface {
		Addr() cuda.DevicePtr
		Bytes() int64
	}:
		_ = cuda.Memset(b.Addr(), 1, b.Bytes())
	case interface{ Addr() cuda.DevicePtr }:
		_ = cuda.Memset(b.Addr(), 1, 1024)
	default:
		panic("no block")
	}
	_ = cuda.Device(0).Synchronize()
}

// run is a run of the program.
type run struct {
	*rig.Run
	rig.Subject
}

// alloc allocates a block, of n bytes if the pool has blocks of several sizes, and fills it.
func (r *run) alloc(n int) (any, error) {
	b, err := r.Take("Alloc", n)
	if err == nil {
		fill(b)
	}
	return b, err
}

// sizes are the sizes of the program's blocks: more than one chunk holds.
var sizes = []int{1000, 30 << 10, 20 << 10, 100, 14 << 10, 512, 60 << 10, 5000}

func (r *run) program() {
	for range 2 {
		var held []any
		for _, n := range sizes {
			r.Try("alloc", func() error {
				b, err := r.alloc(n)
				if err == nil {
					held = append(held, b)
				}
				return err
			})
		}
		if r.Has("Free") {
			for i, b := range held {
				live := r.Stats().Live
				if err := r.Do("Free", b); err != nil || r.Stats().Live != live-1 {
					r.Errorf("free of block %d: %v", i, err)
				}
			}
		}
		if r.Has("Reset") {
			r.Try("reset", func() error { return r.Do("Reset") })
		}
		r.Try("trim", func() error { return r.Do("Trim", int64(0)) })
	}
	if r.Has("FreeAsync") {
		r.onStreams()
	}
	if s := r.Stats(); s.Live != 0 || s.Reserved != 0 {
		r.Errorf("after trim: %+v", s)
	}
	_, _ = r.alloc(1000) // Close then has to release a chunk
	r.Try("close", func() error { return r.Do("CloseForce") })
}

// onStreams has two streams use blocks in turn, and closes one of them while it runs.
func (r *run) onStreams() {
	var streams []cuda.Stream
	for range 2 {
		r.Try("stream", func() error {
			s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
			if err == nil {
				streams = append(streams, s)
			}
			return err
		})
	}
	for i := range 24 {
		s := streams[i/3%2]
		var b any
		r.Try("alloc on", func() (err error) {
			if !r.Has("AllocOn") { // a deferred pool: only frees wait for a stream
				b, err = r.alloc(sizes[i%3])
				return err
			}
			b, err = r.Take("AllocOn", sizes[i%3], s)
			return err
		})
		rig.Work(b, s)
		free := "FreeAsync"
		if i%2 == 0 && r.Has("FreeOn") {
			free = "FreeOn"
		}
		if err := r.Do(free, b, s); err != nil {
			r.Errorf("%s: %v", free, err)
		}
		if i%5 == 0 {
			r.Poll()
		}
	}
	for _, s := range streams {
		r.Try("stream close", s.Close)
	}
	for i := 0; r.Stats().Pending > 0 && i < 1000; i++ {
		r.Poll()
	}
	r.Try("trim", func() error { return r.Do("Trim", int64(0)) })
}

// outOfMemory is a code of the driver.
const outOfMemory = 2

// play runs the program with a fault, and reports whether the call of the fault was made.
func play(t *testing.T, fresh func() any, f rig.Fault) (came bool) {
	s := rig.SubjectOf(fresh())
	excused := func(told string) bool {
		switch {
		case silent[f.Function]:
			return true
		case told == "" && s.Has("FreeAsync"): // the ladder of such a pool tries again
			return true
		case told == "" && f.Code == outOfMemory: // the pool then asks for what the request needs alone
			return true
		}
		return told == "" && f.Function == "cuMemAlloc" && strings.Contains(t.Name(), "Sharded") // such a pool searches all of its parts and then calls the driver again
	}
	came = f.Play(t, sim.Config{Devices: 1, Schedule: 1}, excused, func(r *rig.Run) { (&run{r, s}).program() })
	if n := sim.Live()[sim.KindEvent]; n != 0 {
		t.Errorf("%d events are left", n)
	}
	return came
}

// silent are the functions whose failure need not be reported. They are called by the program itself, or called again and reported if they
// fail in Close too. A failure of cuDeviceGetCount is reported as one of cuInit.
var silent = map[string]bool{
	"cuDeviceGetCount": true, "cuEventCreate": true, "cuEventQuery": true, "cuEventRecord": true, "cuEventSynchronize": true, "cuMemRelease": true, "cuMemsetD8": true, "cuMemsetD8Async": true,
	"cuPointerGetAttribute": true, "cuStreamGetId": true, "cuStreamIsCapturing": true, "cuStreamQuery": true, "cuStreamSynchronize": true, "cuStreamWaitEvent": true,
}

// functions are the functions of the driver that pools may call.
var functions = []string{
	"cuCtxGetDevice", "cuDeviceGetAttribute", "cuDeviceGetCount", "cuDeviceGetDefaultMemPool", "cuDeviceGetMemPool", "cuDeviceSetMemPool", "cuDeviceTotalMem",
	"cuEventCreate", "cuEventDestroy", "cuEventQuery", "cuEventRecord", "cuEventSynchronize",
	"cuMemAddressFree", "cuMemAddressReserve", "cuMemAlloc", "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemAllocManaged", "cuMemCreate", "cuMemFree", "cuMemFreeAsync", "cuMemFreeHost",
	"cuMemGetAllocationGranularity", "cuMemGetInfo", "cuMemHostAlloc", "cuMemMap", "cuMemPoolCreate", "cuMemPoolDestroy", "cuMemPoolSetAttribute", "cuMemPoolTrimTo",
	"cuMemRelease", "cuMemSetAccess", "cuMemUnmap", "cuMemsetD8", "cuMemsetD8Async", "cuPointerGetAttribute",
	"cuStreamCreateWithPriority", "cuStreamDestroy", "cuStreamGetId", "cuStreamIsCapturing", "cuStreamQuery", "cuStreamSynchronize", "cuStreamWaitEvent",
}

// codes are the codes that a function fails with: one that allocates memory may be out of memory.
func codes(function string) []int {
	const unknown = 999
	if strings.Contains(function, "Alloc") || function == "cuMemCreate" {
		return []int{outOfMemory, unknown}
	}
	return []int{unknown}
}

// If a call of the driver fails, no memory is lost: the error names the call, the pool works, and after Close no memory is left.
func TestFaults(t *testing.T) {
	struck := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		rig.EachDriverCall(t, name, functions, codes, func(t *testing.T, f rig.Fault) bool { return play(t, subjects[name], f) }, struck)
	}
	for _, f := range functions {
		t.Logf("%5d calls of %s failed", struck[f], f)
	}
}

// If two calls of the driver fail, nothing is lost either.
func TestPairs(t *testing.T) {
	rig.Pairs(t, sim.Config{Devices: 1, Schedule: 1}, 20, subjects)
}
