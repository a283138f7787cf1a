package spec

import "testing"

// The cursor finds places in any order, on lines with characters of several bytes, and beyond their ends.
func TestCursorFindsPlacesInAnyOrder(t *testing.T) {
	s, _ := newSource("", []byte("añb€c\nxyz\n"))
	want := map[Position]string{{1, 1}: "añb€c", {1, 2}: "ñb€c", {1, 3}: "b€c", {1, 4}: "€c", {1, 5}: "c", {1, 6}: "", {1, 9}: "", {2, 1}: "xyz", {2, 3}: "z", {9, 2}: ""}
	for from := range want {
		for to, text := range want {
			c := cursor{src: s}
			c.tail(from)
			if got := c.tail(to); got != text {
				t.Errorf("from %v to %v: %q, want %q", from, to, got, text)
			}
		}
	}
}
