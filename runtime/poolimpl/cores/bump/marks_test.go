package bump

import "testing"

// What stands here is for a suballocator that keeps marks.

func TestZeroMarks(t *testing.T) {
	c := newCore()
	if c.Release(Mark{}) {
		t.Error("Release of the zero Mark")
	}
	m := c.Mark()
	if !c.Release(m) {
		t.Error("Release of a mark in an empty suballocator")
	}
}

// TestMarks tells which marks are refused.
func TestMarks(t *testing.T) {
	c, other := newCore(), newCore()
	c.Add(0, 0, 100*granule)
	other.Add(0, 0, 100*granule)
	take := func() { c.Alloc(granule, 1) }
	take()
	early := c.Mark()
	take()
	late := c.Mark()
	foreign := other.Mark()
	if c.Release(foreign) {
		t.Error("a mark of another suballocator")
	}
	if !c.Release(late) || !c.Release(early) {
		t.Error("a valid mark was refused")
	}
	take()
	take()
	if c.Release(late) {
		t.Error("a mark in a released region")
	}
	c.Reset()
	if c.Release(early) {
		t.Error("a mark from before a reset")
	}
	take()
	c.Mark()
	if c.Release(early) {
		t.Error("a mark from before a reset, with a new one in its place")
	}
}

// TestMarkTwice: marks of the same state share what is kept.
func TestMarkTwice(t *testing.T) {
	c := newCore()
	c.Add(0, 0, 100*granule)
	for range 100 {
		m := c.Mark()
		c.Alloc(granule, 1)
		if !c.Release(m) {
			t.Fatal("refused")
		}
	}
	if len(c.places) != 1 {
		t.Errorf("%d marks kept", len(c.places))
	}
}

func BenchmarkMark(b *testing.B) {
	c := newCore()
	c.Add(0, 1<<30, 1<<20)
	for range b.N {
		m := c.Mark()
		c.Alloc(64, 1)
		c.Release(m)
	}
}
