package binned

import (
	"math/rand/v2"
	"reflect"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// classes compares the figures of the classes with a count of the blocks of all slabs that the heap has.
func (m *model) classes(*rand.Rand) {
	m.t.Helper()
	c := &m.core
	var got, want poolimpl.Classes
	c.Classes(&got)
	for slot := range m.areas {
		c.Space.Walk(slot, 0, func(i uint32, p poolrt.Piece) bool {
			if p.State != poolrt.PieceCached {
				return true
			}
			s := c.at(c.Space.Note(i))
			in := poolrt.ClassStats{Size: int64(bins[s.bin]), Reserved: int64(s.blocks) * int64(bins[s.bin])}
			for k := range uint64(s.blocks) {
				e := *s.entry(k)
				isPending := int64(0)
				if feature.Streams {
					if e == pending {
						isPending = 1
					}
				}
				in.Pending += isPending
				if e >= liveFlag {
					in.Live++
				} else {
					in.Free += 1 - isPending
				}
			}
			want.Add(in)
			return true
		})
	}
	for _, size := range bins { // also those without a slab, and those too large for slabs
		got.Add(poolrt.ClassStats{Size: int64(size)})
		want.Add(poolrt.ClassStats{Size: int64(size)})
	}
	got.Add(poolrt.ClassStats{})
	want.Add(poolrt.ClassStats{})
	if !reflect.DeepEqual(got, want) {
		m.t.Fatalf("%+v, want %+v", got, want)
	}
}

// The figures of the classes are those of a count of all blocks.
func TestLongRunsClasses(t *testing.T) {
	for seed := range uint64(8) {
		run(t, script(500+seed, 400), (*model).classes)
	}
}
