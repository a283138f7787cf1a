//go:build cudasim

package gpu

import (
	"encoding/binary"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
)

// prepare resets the simulator to a small device, whose kernels are Go functions and whose allocations touch, as those of the driver do.
func prepare(t testing.TB) {
	sim.Reset(sim.Config{Devices: 1, Capacity: 600 << 20, Schedule: 1, Touching: true})
	t.Cleanup(func() {
		for _, f := range sim.Findings() {
			t.Error(f)
		}
	})
	for _, name := range []string{"fill", "verify"} { // used only by tests that need a real device
		sim.Kernel(name, func(l *sim.Launch) { l.Fail(719) })
	}
	sim.Kernel("take", take)
	sim.Kernel("own", func(l *sim.Launch) {
		rows(l, func(row int, at uint64, words []byte) {
			for i := range len(words) / 8 {
				binary.LittleEndian.PutUint64(words[8*i:], uint64(row)<<40|uint64(i))
			}
			l.Write(at, words)
		})
	})
	sim.Kernel("inspect", func(l *sim.Launch) {
		wrong := make([]byte, 4)
		l.Read(wrong, l.Uint64(2))
		n := binary.LittleEndian.Uint32(wrong)
		rows(l, func(row int, at uint64, words []byte) {
			l.Read(words, at)
			for i := range len(words) / 8 {
				if binary.LittleEndian.Uint64(words[8*i:]) != uint64(row)<<40|uint64(i) {
					n++
				}
			}
		})
		binary.LittleEndian.PutUint32(wrong, n)
		l.Write(l.Uint64(2), wrong)
	})
}

// stall lets streams advance only when a call waits for them.
func stall() { sim.Schedule(0) }

// rows calls each for the blocks of a launch's table, with a buffer for their words.
func rows(l *sim.Launch, each func(row int, at uint64, words []byte)) {
	table := make([]byte, 16*l.Uint64(1))
	l.Read(table, l.Uint64(0))
	for row := range len(table) / 16 {
		e := table[16*row:]
		each(row, binary.LittleEndian.Uint64(e), make([]byte, 8*binary.LittleEndian.Uint64(e[8:])))
	}
}
