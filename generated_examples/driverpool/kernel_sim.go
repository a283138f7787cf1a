//go:build cudasim

package driverpool

import (
	"encoding/binary"
	"math"

	"github.com/poolgen/poolgen/cuda/sim"
)

// source registers a Go function as the kernel of the simulated device, and says what memory it uses; any image will do then.
func source() []byte {
	sim.KernelUsing("addVectors", addVectors, func(l *sim.Launch) []sim.MemoryUse {
		n := 4 * l.Uint64(3)
		return []sim.MemoryUse{{Ptr: l.Uint64(0), Bytes: n, Write: true}, {Ptr: l.Uint64(1), Bytes: n}, {Ptr: l.Uint64(2), Bytes: n}}
	})
	return []byte("addVectors")
}

// addVectors does what the kernel does.
func addVectors(l *sim.Launch) {
	n := 4 * l.Uint64(3)
	a, b := make([]byte, n), make([]byte, n)
	l.Read(a, l.Uint64(1))
	l.Read(b, l.Uint64(2))
	number := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	for i := 0; i < len(a); i += 4 {
		binary.LittleEndian.PutUint32(a[i:], math.Float32bits(number(a[i:])+number(b[i:])))
	}
	l.Write(l.Uint64(0), a)
}
