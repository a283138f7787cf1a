//go:build cudasim

package debugging

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// waiting is the call that waits for a stream.
const waiting = "cuStreamSynchronize"

// calls are those of the driver that a debug build makes for blocks.
var calls = []string{"cuMemsetD8Async", "cuMemcpyDtoHAsync", waiting, "cuEventRecord", "cuEventQuery", "cuStreamIsCapturing", "cuStreamGetId", "cuStreamQuery"}

// BenchmarkDevicePair measures an allocation and its free on a simulated device, with and without the tag, and counts the calls of the driver per pair.
func BenchmarkDevicePair(b *testing.B) {
	sim.Reset(sim.Config{Devices: 1, Schedule: 1})
	p := new(pools.PlainPool)
	pairs(b, func() error { return p.Free(rig.Must(p.Alloc(size))) })
	rig.Check(b, "close", p.Close())
}

// BenchmarkStreamPair measures the same on a stream.
func BenchmarkStreamPair(b *testing.B) {
	sim.Reset(sim.Config{Devices: 1, Schedule: 1})
	p, s := new(pools.PlainPool), rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	pairs(b, func() error { return p.FreeOn(rig.Must(p.AllocOn(size, s)), s) })
	rig.Check(b, "close", p.Close())
}

func pairs(b *testing.B, pair func() error) {
	before, waits := made(), sim.Calls(waiting)
	for range b.N {
		rig.Check(b, "free", pair())
	}
	b.ReportMetric(float64(made()-before)/float64(b.N), "calls/op")
	b.ReportMetric(float64(sim.Calls(waiting)-waits)/float64(b.N), "waits/op")
}

// made returns the number of calls so far.
func made() (n int) {
	for _, f := range calls {
		n += sim.Calls(f)
	}
	return n
}
