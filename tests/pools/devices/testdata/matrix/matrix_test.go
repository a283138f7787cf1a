//go:build cudasim

// Package matrix is run by the test in tests/pools/devices, which writes the pools and their list.
package matrix

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// subject is a pool of any type. Its methods are called by name.
type subject struct{ reflect.Value }

// call calls a method and returns its results, except for the last, which is the error.
func (s subject) call(method string, args ...reflect.Value) (results []reflect.Value, err error) {
	out := s.MethodByName(method).Call(args)
	err, _ = out[len(out)-1].Interface().(error)
	return out[:len(out)-1], err
}

func (s subject) has(method string) bool { return s.MethodByName(method).IsValid() }

// alloc allocates a block, of n bytes if the pool has blocks of several sizes, and fills it.
func (s subject) alloc(n int) (reflect.Value, error) {
	b, err := s.take("Alloc", n)
	if err == nil {
		fill(b.Interface())
	}
	return b, err
}

// take allocates a block by a method that may have more parameters than the size.
func (s subject) take(method string, n int, more ...reflect.Value) (reflect.Value, error) {
	if s.MethodByName(method).Type().NumIn() > len(more) {
		more = append([]reflect.Value{reflect.ValueOf(s.count(method, n))}, more...)
	}
	out, err := s.call(method, more...)
	if err != nil {
		return reflect.Value{}, err
	}
	return out[0], nil
}

// count is the number of items, each a byte, or of tiles, for n bytes: both need the same number of chunks.
func (s subject) count(method string, n int) int {
	if _, tiled := reflect.Zero(s.MethodByName(method).Type().Out(0)).Interface().(tiles); tiled {
		return n>>11 + 1
	}
	return n
}

// tiles are blocks without an address.
type tiles interface{ Memory() cuda.Memory }

// fill writes to a block and waits for it, as plain frees require that no work is pending. A failure of fill is not a failure of the pool.
func fill(block any) {
	switch b := block.(type) {
	case tiles:
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
	subject
}

// sizes are the sizes of the program's blocks: more than one chunk holds.
var sizes = []int{1000, 30 << 10, 20 << 10, 100, 14 << 10, 512, 60 << 10, 5000}

func (r *run) program() {
	for range 2 {
		var held []reflect.Value
		for _, n := range sizes {
			r.Try("alloc", func() error {
				b, err := r.alloc(n)
				if err == nil {
					held = append(held, b)
				}
				return err
			})
		}
		if r.has("Free") {
			for i, b := range held {
				live := r.stats().Live
				if _, err := r.call("Free", b); err != nil || r.stats().Live != live-1 {
					r.Errorf("free of block %d: %v", i, err)
				}
			}
		}
		if r.has("Reset") {
			r.Try("reset", func() error { _, err := r.call("Reset"); return err })
		}
		r.Try("trim", func() error { _, err := r.call("Trim", reflect.ValueOf(int64(0))); return err })
	}
	if r.has("FreeAsync") {
		r.onStreams()
	}
	if s := r.stats(); s.Live != 0 || s.Reserved != 0 {
		r.Errorf("after trim: %+v", s)
	}
	_, _ = r.alloc(1000) // Close then has to release a chunk
	r.Try("close", func() error { _, err := r.call("CloseForce"); return err })
}

// short is a program for pairs of faults: it has few calls, of each kind. Nothing but the pool needs the
// driver to work.
func (r *run) short() {
	var held []reflect.Value
	for _, n := range []int{1000, 60 << 10} {
		r.Try("alloc", func() error {
			b, err := r.take("Alloc", n)
			if err == nil {
				held = append(held, b)
			}
			return err
		})
	}
	for i, b := range held {
		if r.has("Free") {
			r.must(fmt.Sprint("free of block ", i), second(r.call("Free", b)))
		}
	}
	if r.has("Reset") {
		r.Try("reset", func() error { _, err := r.call("Reset"); return err })
	}
	if r.has("FreeAsync") {
		r.onStream()
	}
	for i := 0; r.stats().Pending > 0 && i < 1000; i++ {
		r.MethodByName("Poll").Call(nil)
	}
	r.Try("trim", func() error { _, err := r.call("Trim", reflect.ValueOf(int64(0))); return err })
	if s := r.stats(); s.Live != 0 || s.Reserved != s.UnreturnedBytes {
		r.Errorf("after trim: %+v", s)
	}
	_, _ = r.take("Alloc", 1000) // Close then has to release a chunk
	r.Try("close", func() error { _, err := r.call("CloseForce"); return err })
	if s := r.stats(); s.Unreturned != 0 || s.Reserved != 0 {
		r.Errorf("after close: %+v", s)
	}
}

// onStream has a stream use two blocks in turn.
func (r *run) onStream() {
	var s cuda.Stream
	r.Try("stream", func() (err error) { s, err = cuda.Device(0).NewStream(cuda.NonBlocking); return err })
	on := reflect.ValueOf(s)
	for range 2 {
		var b reflect.Value
		r.Try("alloc on", func() (err error) {
			if !r.has("AllocOn") {
				b, err = r.take("Alloc", 1000)
				return err
			}
			b, err = r.take("AllocOn", 1000, on)
			return err
		})
		work(b.Interface(), s)
		r.must("free on a stream", second(r.call("FreeAsync", b, on)))
		r.MethodByName("Poll").Call(nil)
	}
	r.Try("stream close", s.Close)
}

// must checks that a call succeeds whatever the driver does.
func (r *run) must(what string, err error) {
	r.Helper()
	if err != nil {
		r.Errorf("%s: %v", what, err)
	}
}

func second[A any](_ A, err error) error { return err }

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
		on := reflect.ValueOf(s)
		var b reflect.Value
		r.Try("alloc on", func() (err error) {
			if !r.has("AllocOn") { // a deferred pool: only frees wait for a stream
				b, err = r.alloc(sizes[i%3])
				return err
			}
			b, err = r.take("AllocOn", sizes[i%3], on)
			return err
		})
		work(b.Interface(), s)
		free := "FreeAsync"
		if i%2 == 0 && r.has("FreeOn") {
			free = "FreeOn"
		}
		if _, err := r.call(free, b, on); err != nil {
			r.Errorf("%s: %v", free, err)
		}
		if i%5 == 0 {
			r.MethodByName("Poll").Call(nil)
		}
	}
	for _, s := range streams {
		r.Try("stream close", s.Close)
	}
	for i := 0; r.stats().Pending > 0 && i < 1000; i++ {
		r.MethodByName("Poll").Call(nil)
	}
	r.Try("trim", func() error { _, err := r.call("Trim", reflect.ValueOf(int64(0))); return err })
}

// work queues work with a block on a stream.
func work(block any, s cuda.Stream) {
	var p cuda.DevicePtr
	switch b := block.(type) {
	case tiles:
		return
	case []byte:
		p = cuda.AddressOf(b)
	case *[1024]byte:
		p = cuda.AddressOf(b[:])
	case interface{ Addr() cuda.DevicePtr }:
		p = b.Addr()
	}
	_ = cuda.MemsetAsync(p, 1, 512, s)
}

func (r *run) stats() poolrt.Stats {
	return r.MethodByName("Stats").Call(nil)[0].Interface().(poolrt.Stats)
}

// play runs the program with a fault, and reports whether the call of the fault was made.
func play(t *testing.T, fresh func() any, f rig.Fault) (came bool) {
	s := subject{reflect.ValueOf(fresh())}
	excused := func(told string) bool {
		switch {
		case silent[f.Function]:
			return true
		case told == "" && s.has("FreeAsync"): // the ladder of such a pool tries again
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
	"cuMemAddressFree", "cuMemAddressReserve", "cuMemAlloc", "cuMemAllocFromPoolAsync", "cuMemAllocManaged", "cuMemCreate", "cuMemFree", "cuMemFreeAsync", "cuMemFreeHost",
	"cuMemGetAllocationGranularity", "cuMemGetInfo", "cuMemHostAlloc", "cuMemMap", "cuMemPoolCreate", "cuMemPoolDestroy", "cuMemPoolSetAttribute", "cuMemPoolTrimTo",
	"cuMemRelease", "cuMemSetAccess", "cuMemUnmap", "cuMemsetD8", "cuMemsetD8Async", "cuPointerGetAttribute",
	"cuStreamCreateWithPriority", "cuStreamDestroy", "cuStreamGetId", "cuStreamIsCapturing", "cuStreamQuery", "cuStreamSynchronize", "cuStreamWaitEvent",
}

// codes are the codes that a function fails with: one that allocates memory may be out of memory.
func codes(function string) []int {
	const outOfMemory, unknown = 2, 999
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

// If two calls of the driver fail, nothing is lost either: what could not be given back is tried again. There are some 26,000 pairs, which take about eight seconds of CPU.
func TestPairs(t *testing.T) {
	pairs := 0
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		pairs += rig.EachPair(t, name, 1, func(t *testing.T, p rig.Pair) bool {
			s := subject{reflect.ValueOf(subjects[name]())}
			came := p.Play(t, sim.Config{Devices: 1, Schedule: 1}, func(r *rig.Run) { (&run{r, s}).short() })
			if n := sim.Live()[sim.KindEvent]; n != 0 {
				t.Errorf("%d events are left", n)
			}
			return came
		})
	}
	t.Logf("%d pairs of calls failed", pairs)
}
