//go:build cudasim

package debugging

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/debugging/pools"
	"github.com/poolgen/poolgen/tests/internal/rig"
)

// calls are those of the driver that a debug build makes for blocks.
var calls = []string{"cuMemsetD8Async", "cuMemcpyDtoHAsync", "cuStreamSynchronize", "cuEventRecord", "cuEventQuery", "cuStreamIsCapturing", "cuStreamGetId", "cuStreamQuery"}

// BenchmarkDevicePair is an allocation and its free on a simulated device, with and without the tag, and how often the driver is called for one.
func BenchmarkDevicePair(b *testing.B) {
	sim.Reset(sim.Config{Devices: 1, Schedule: 1})
	p := new(pools.PlainPool)
	pairs(b, func() error { return p.Free(rig.Must(p.Alloc(size))) })
	rig.Check(b, "close", p.Close())
}

// BenchmarkStreamPair is one on a stream.
func BenchmarkStreamPair(b *testing.B) {
	sim.Reset(sim.Config{Devices: 1, Schedule: 1})
	p, s := new(pools.PlainPool), rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	pairs(b, func() error { return p.FreeOn(rig.Must(p.AllocOn(size, s)), s) })
	rig.Check(b, "close", p.Close())
}

func pairs(b *testing.B, pair func() error) {
	before, waits := count(calls), count(calls[2:3])
	for range b.N {
		rig.Check(b, "free", pair())
	}
	b.ReportMetric(float64(count(calls)-before)/float64(b.N), "calls/op")
	b.ReportMetric(float64(count(calls[2:3])-waits)/float64(b.N), "waits/op")
}

func count(functions []string) (n int) {
	for _, f := range functions {
		n += sim.Calls(f)
	}
	return n
}
