//go:build pooldebug

package debugging

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

// FuzzMisuse runs a program that is encoded as bytes in each kind of pool: all misuse is reported, and nothing else.
func FuzzMisuse(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 2, 3, 0, 4, 1, 5})
	f.Add([]byte{0, 0, 17, 33, 2, 18, 0, 3, 19, 4, 0, 5, 1, 1})
	f.Fuzz(func(t *testing.T, program []byte) {
		for _, p := range forms.All() {
			run(t, p, program)
		}
	})
}

// run runs a program on a pool.
func run(t *testing.T, p forms.Pool, program []byte) {
	var live, freed [][]byte
	var held []byte  // the block that was freed last, while it is certainly in the quarantine, which an alloc may empty
	damaged := false // there was a write to a block in the quarantine
	for _, op := range program {
		which := int(op >> 4)
		switch op & 7 {
		case 0, 1:
			held = nil
			if b, err := p.Alloc(); err == nil {
				live = append(live, b)
			} else if !errors.Is(err, poolrt.ErrLimit) {
				t.Fatalf("%s: %v", p.Name, err)
			}
		case 2, 3, 4: // free, 4: after writing beyond the end
			if len(live) == 0 {
				continue
			}
			at := which % len(live)
			b, want := live[at], error(nil)
			if op&7 == 4 {
				*beyond(b, size), want = 1, poolrt.ErrCorrupt
			}
			if err := p.Free(b); !errors.Is(err, want) {
				t.Fatalf("%s: free: %v, want %v", p.Name, err, want)
			}
			live, freed = append(live[:at], live[at+1:]...), append(freed, b)
			held = b
		case 5: // a block that is free
			if len(freed) > 0 && !taken(live, freed[which%len(freed)]) {
				if err := p.Free(freed[which%len(freed)]); !errors.Is(err, poolrt.ErrInvalidFree) {
					t.Fatalf("%s: second free: %v", p.Name, err)
				}
			}
		case 6: // no block
			if err := p.Free(make([]byte, size)); !errors.Is(err, poolrt.ErrForeign) {
				t.Fatalf("%s: foreign free: %v", p.Name, err)
			}
		case 7: // a write to a block in the quarantine
			if held != nil {
				held[0], damaged = 1, true
			}
		}
	}
	for _, b := range live {
		if err := p.Free(b); err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
	}
	if err := p.Close(); errors.Is(err, poolrt.ErrCorrupt) != damaged {
		t.Fatalf("%s: close: %v, and there was a write to a free block: %v", p.Name, err, damaged)
	}
}

// taken reports whether a block has the address of another.
func taken(live [][]byte, b []byte) bool {
	for _, l := range live {
		if &l[0] == &b[0] {
			return true
		}
	}
	return false
}
