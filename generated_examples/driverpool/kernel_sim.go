//go:build cudasim

package driverpool

import (
	"encoding/binary"
	"math"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// addKernel registers a Go function as the kernel of the simulated device, and says what memory it uses.
func addKernel(d cuda.Device) (k cuda.Kernel, unload func() error, err error) {
	sim.KernelUsing("addVectors", addVectors, func(l *sim.Launch) []sim.MemoryUse {
		n := 4 * l.Uint64(3)
		return []sim.MemoryUse{{Ptr: l.Uint64(0), Bytes: n, Write: true}, {Ptr: l.Uint64(1), Bytes: n}, {Ptr: l.Uint64(2), Bytes: n}}
	})
	m, err := d.LoadModule([]byte("addVectors"))
	if err != nil {
		return cuda.Kernel{}, nil, err
	}
	k, err = m.Kernel("addVectors")
	return k, m.Close, err
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
