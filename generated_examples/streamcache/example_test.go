//go:build cudasim

package streamcache

import (
	"fmt"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// On the simulated driver streams stand still until they are told to go on, which shows who gets what.
func Example() {
	sim.Reset(sim.Config{})
	a, _ := cuda.Device(0).NewStream(cuda.NonBlocking)
	b, _ := cuda.Device(0).NewStream(cuda.NonBlocking)
	var p BufferPool

	x, _ := p.AllocOn(1000, a)
	fmt.Println(p.FreeOn(x, a))
	onB, _ := p.AllocOn(1000, b)
	fmt.Println("another stream gets the same block:", onB == x)
	onA, _ := p.AllocOn(1000, a)
	fmt.Println("its own stream gets it:", onA == x)
	fmt.Println(onA.Zero(a), onB.Zero(b)) // work that the streams are not done with
	fmt.Println(p.FreeOn(onA, a), p.FreeOn(onB, b))

	p.Poll()
	fmt.Println("pending:", p.Stats().Pending)
	sim.RunAll()
	p.Poll()
	fmt.Println("pending:", p.Stats().Pending)
	fmt.Println(p.Close(), a.Close(), b.Close())
	// Output:
	// <nil>
	// another stream gets the same block: false
	// its own stream gets it: true
	// <nil> <nil>
	// <nil> <nil>
	// pending: 2
	// pending: 0
	// <nil> <nil> <nil>
}

// Rounds on one stream ask nothing of the driver but what they do with the buffers.
func TestNoDriverCalls(t *testing.T) {
	if poolrt.Debug {
		t.Skip("a debug build has streams fill the blocks")
	}
	p, a, _ := open(t)
	sim.Schedule(0)
	ok(t, Work(p, a, 1))
	watched := []string{"cuMemAlloc", "cuMemFree", "cuEventCreate", "cuEventRecord", "cuEventQuery", "cuStreamWaitEvent"}
	before := map[string]int{}
	for _, f := range watched {
		before[f] = sim.Calls(f)
	}
	memsets := sim.Calls("cuMemsetD8Async")
	ok(t, Work(p, a, 100))
	for _, f := range watched {
		if n := sim.Calls(f) - before[f]; n != 0 {
			t.Errorf("%d calls of %s", n, f)
		}
	}
	if n := sim.Calls("cuMemsetD8Async") - memsets; n != 400 {
		t.Errorf("%d buffers filled", n)
	}
}

// Thousands of frees leave no events behind.
func TestEventsAreShared(t *testing.T) {
	p, a, b := open(t)
	for range 50 {
		ok(t, Work(p, a, 10))
		x, err := p.Alloc(3 << 20) // wants what the streams are done with
		ok(t, err)
		ok(t, p.FreeAsync(x, b))
	}
	if n := sim.Calls("cuEventCreate"); n > 50 {
		t.Errorf("%d events for %d frees", n, p.Stats().Frees)
	}
}
