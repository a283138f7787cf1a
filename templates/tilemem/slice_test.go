package tilemem

import "testing"

// Slice counts in tiles, and panics where slicing a Go slice would. A part of a block has no address: it cannot be freed.
func TestSlice(t *testing.T) {
	s := Tiles{memory: 7, number: 1 << 30, first: 5, n: 4}
	for _, c := range []struct{ i, j, panics int }{{0, 4, 0}, {1, 3, 0}, {4, 4, 0}, {2, 1, 1}, {0, 5, 1}, {-1, 2, 1}} {
		func() {
			defer func() {
				if panicked := recover() != nil; panicked != (c.panics == 1) {
					t.Errorf("Slice(%d, %d): panicked is %v", c.i, c.j, panicked)
				}
			}()
			part := s.Slice(c.i, c.j)
			if want := (Tiles{memory: 7, number: 1<<30 + uint64(c.i)*tileBytes, first: 5 + c.i, n: c.j - c.i}); part != want {
				t.Errorf("Slice(%d, %d): %+v, want %+v", c.i, c.j, part, want)
			}
			if part.n != blockTiles && Addr(part) != 0 {
				t.Errorf("Slice(%d, %d) has the address %#x of a whole block", c.i, c.j, Addr(part))
			}
		}()
	}
}
