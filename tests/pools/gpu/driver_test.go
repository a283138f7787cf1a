//go:build !cudasim

package gpu

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// prepare does nothing on a real device.
func prepare(testing.TB) {}

// write fills memory with a value, on a stream.
func (l *lab) write(at cuda.DevicePtr, bytes int64, value byte, s cuda.Stream) {
	l.ok("fill", l.fill.Launch(l.shape(bytes, s), at, uint64(bytes), uint32(value), l.clocks))
}

// expect counts the bytes that do not have the value, on a stream.
func (l *lab) expect(at cuda.DevicePtr, bytes int64, value byte, s cuda.Stream) {
	l.ok("verify", l.verify.Launch(l.shape(bytes, s), at, uint64(bytes), uint32(value), l.clocks, l.wrong))
}

func (l *lab) shape(bytes int64, s cuda.Stream) cuda.Config {
	blocks := min(uint32((bytes+1023)/1024), 32)
	return cuda.Config{Grid: [3]uint32{blocks}, Block: [3]uint32{256}, Stream: s}
}

// stall is for the simulator, whose streams it stops.
func stall() {}
