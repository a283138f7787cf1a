//go:build cudasim

package pipeline

import (
	"encoding/binary"
	"math"

	"github.com/poolgen/poolgen/cuda/sim"
)

// source registers a Go function as the kernel of the simulated device, and says what memory it uses; any image will do then.
func source() []byte {
	sim.KernelUsing("scale", scale, func(l *sim.Launch) []sim.MemoryUse {
		return []sim.MemoryUse{{Ptr: l.Uint64(0), Bytes: 4 * l.Uint64(1), Write: true}}
	})
	return []byte("scale")
}

// scale does what the kernel does.
func scale(l *sim.Launch) {
	at, n, factor := l.Uint64(0), l.Uint64(1), math.Float32frombits(uint32(l.Uint64(2)))
	b := make([]byte, 4*n)
	l.Read(b, at)
	for i := 0; i < len(b); i += 4 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(b[i:])) * factor
		binary.LittleEndian.PutUint32(b[i:], math.Float32bits(f))
	}
	l.Write(at, b)
}
