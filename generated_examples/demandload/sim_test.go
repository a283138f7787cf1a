//go:build cudasim

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	sim.Reset(sim.Config{})
	l, err := NewLoader(Options{Limit: 6 << 20, Requests: 1024})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.fly(os.Stdout, 9))
	fmt.Println(l.Close())
	// Output:
	// frame   seen   hits  loads  evicted   left KiB loaded
	//     1     18      0     18        0      0       2880
	//     2     21     15      6        0      0        960
	//     3     21     16      5        0      0       1280
	//     4     21     15      6        0      0        960
	//     5     21     16      5        5      0       1280
	//     6     25     18      7        7      0       1024
	//     7     21     13      8        5      0       1472
	//     8     21     18      3        3      0        768
	//     9     18      6     12       13      0       2496
	// <nil>
	// <nil>
}

// A device without sparse arrays is an error that says so.
func Example_noSparseArrays() {
	sim.Reset(sim.Config{Attributes: map[int32]int32{int32(cuda.SparseArraysSupported): 0}})
	_, err := NewLoader(Options{Limit: 6 << 20, Requests: 1024})
	fmt.Println(err)
	fmt.Println(errors.Is(err, poolrt.ErrUnsupported))
	// Output:
	// not supported: device 0 has no sparse arrays
	// true
}

// Pages that were dropped are bound to nothing: they read as 0, whoever has their tiles now.
func TestDroppedPages(t *testing.T) {
	l := open(t, Options{Limit: 2 << 20, Requests: 64})
	x := add(t, l, 12, 4, 1)
	for i := range uint32(3) {
		frame(t, l, whole(x, 4*i, 0, 4, 4))
	}
	ok(t, l.Finish())
	b := make([]byte, pageSide*pageSide)
	for i := range x.columns * x.rows {
		p := &l.pages[x.entries.At(i)]
		ok(t, x.array.Read(b, p.x, p.y, pageSide, pageSide))
		if none := bytes.Equal(b, make([]byte, len(b))); none == (p.place != nil) {
			t.Errorf("%v: nothing there: %v", p, none)
		}
	}
}

// However the streams of the device proceed, each page shows its image, and nothing is used without an order.
func TestSchedules(t *testing.T) {
	for seed := range uint64(8) {
		sim.Reset(sim.Config{Schedule: 1 + seed, Hazards: true})
		l, err := NewLoader(Options{Limit: 4 << 20, Requests: 12})
		ok(t, err)
		ground, clouds := add(t, l, 16, 16, 1), add(t, l, 8, 8, 4)
		for i := range uint32(12) {
			frame(t, l, whole(ground, i, i, 3, 3), whole(clouds, i/2, 0, 2, 2))
		}
		ok(t, l.Close())
		for _, f := range sim.Findings() {
			t.Errorf("seed %d: %s", seed, f)
		}
	}
}

// Frames that see the same pages ask nothing for memory: no page is bound, and nothing is allocated.
func TestNothingNewNothingCalled(t *testing.T) {
	l := open(t, Options{Limit: 4 << 20, Requests: 64})
	x := add(t, l, 4, 4, 1)
	see := func() { frame(t, l, whole(x, 0, 0, 3, 3)) }
	for range 10 {
		see()
	}
	before := map[string]int{}
	watched := []string{"cuMemAlloc", "cuMemAllocFromPoolAsync", "cuMemHostAlloc", "cuMemCreate", "cuMemMapArrayAsync", "cuEventCreate"}
	for _, f := range watched {
		before[f] = sim.Calls(f)
	}
	for range 20 {
		see()
	}
	for _, f := range watched {
		if n := sim.Calls(f) - before[f]; n != 0 && (f != "cuEventCreate" || !poolrt.Debug) { // which records events behind the fills of streams
			t.Errorf("%d calls of %s", n, f)
		}
	}
}

// On a device that has no more memory pages are dropped just as at the limit.
func TestDeviceIsFull(t *testing.T) {
	l := open(t, Options{Limit: 8 << 20, Requests: 64})
	x := add(t, l, 12, 4, 1)
	sim.Fail("cuMemCreate", 2, 2) // the second chunk: out of memory
	frame(t, l, whole(x, 0, 0, 8, 4))
	if r := frame(t, l, whole(x, 8, 0, 4, 4)); r.Loads != 16 || r.Evicted == 0 {
		t.Errorf("%+v", r)
	}
}

// Whichever call of the driver fails, the loader can be closed and leaves nothing behind.
func TestFailures(t *testing.T) {
	for _, function := range []string{
		"cuMemAlloc", "cuMemAllocFromPoolAsync", "cuMemHostAlloc", "cuMemMapArrayAsync", "cuLaunchKernel", "cuMemcpy2DAsync", "cuMemcpyHtoDAsync",
		"cuMemcpyDtoHAsync", "cuMemsetD8Async", "cuStreamCreateWithPriority", "cuEventCreate", "cuEventRecord", "cuModuleLoadDataEx",
		"cuModuleGetFunction", "cuArray3DCreate", "cuArrayGetSparseProperties",
	} {
		for nth := 1; nth < 40; nth += 2 {
			sim.Reset(sim.Config{Schedule: 5, Hazards: true})
			sim.Fail(function, nth, 1)
			err := short(6)
			if err == nil {
				break // it is not called as often
			}
			for _, f := range sim.Findings() {
				t.Errorf("%s failed at call %d with %v: %s", function, nth, err, f)
			}
		}
	}
}

// short is a short flight.
func short(frames uint32) error {
	l, err := NewLoader(Options{Limit: 2 << 20, Requests: 64})
	if err != nil {
		return err
	}
	x, err := l.AddTexture(8, 8, 1, checkered(3, 1))
	for i := uint32(0); err == nil && i < frames; i++ {
		_, err = l.Frame(whole(x, i, 0, 6, 3))
	}
	return errors.Join(err, l.Close())
}
