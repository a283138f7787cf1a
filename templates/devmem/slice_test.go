package devmem

import "testing"

// Slice counts in items, and panics where slicing a Go slice would.
func TestSlice(t *testing.T) {
	s := Span{ptr: 1000, n: 4}
	for _, c := range []struct{ i, j, panics int }{{0, 4, 0}, {1, 3, 0}, {4, 4, 0}, {2, 1, 1}, {0, 5, 1}, {-1, 2, 1}} {
		func() {
			defer func() {
				if panicked := recover() != nil; panicked != (c.panics == 1) {
					t.Errorf("Slice(%d, %d): panicked is %v", c.i, c.j, panicked)
				}
			}()
			part := s.Slice(c.i, c.j)
			if want := (Span{ptr: 1000 + Ptr(c.i)*Ptr(ItemSize), n: c.j - c.i}); part != want {
				t.Errorf("Slice(%d, %d): %+v, want %+v", c.i, c.j, part, want)
			}
		}()
	}
}
