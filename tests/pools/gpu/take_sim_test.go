//go:build cudasim

package gpu

import (
	"encoding/binary"

	"github.com/poolgen/poolgen/cuda/sim"
)

// take does the same as the kernel, one thread after the other.
func take(l *sim.Launch) {
	view, table, capacity, tally, rounds := l.Uint64(0), l.Uint64(1), l.Uint64(2), l.Uint64(3), l.Uint64(4)
	for thread := range uint64(l.Grid[0] * l.Block[0]) {
		for i := range rounds {
			words := 1 + (7*thread+i)%5
			at, ok := allocate(l, view, words)
			if !ok {
				count(l, tally+8, 1)
				continue
			}
			if row := count(l, tally, 1); row < capacity {
				l.Write(table+16*row, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, at), words))
			}
		}
	}
}

// allocate does the same as pools_Arena_alloc of the C header.
func allocate(l *sim.Launch, view, words uint64) (at uint64, ok bool) {
	var head [24]byte
	l.Read(head[:], view)
	base, size, offset := binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:]), binary.LittleEndian.Uint64(head[16:])
	bytes := (8*words + 15) &^ 15
	if bytes > size || offset > size-bytes {
		return 0, false
	}
	return base + count(l, view+16, bytes), true
}

// count is an atomic addition that returns the old value.
func count(l *sim.Launch, at, n uint64) uint64 {
	var b [8]byte
	l.Read(b[:], at)
	old := binary.LittleEndian.Uint64(b[:])
	l.Write(at, binary.LittleEndian.AppendUint64(nil, old+n))
	return old
}
