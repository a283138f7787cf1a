package bump

import "testing"

// TestShorten: the end of the last block can be taken back, that of another cannot.
func TestShorten(t *testing.T) {
	c := newCore()
	c.Add(3, 1<<40, 10*granule)
	c.Alloc(4*granule, 1)
	if c.Rest() != 6*granule || c.Base(3) != 1<<40 {
		t.Fatalf("%d bytes left, base %#x", c.Rest(), c.Base(3))
	}
	c.Shorten(3, granule, 4*granule)
	_, off, _ := c.Alloc(granule, 1)
	c.Shorten(3, 0, granule)
	if off != granule || c.Rest() != 8*granule {
		t.Errorf("next block at %d, %d bytes left", off, c.Rest())
	}
}
