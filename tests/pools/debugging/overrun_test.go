//go:build pooldebug

package debugging

import (
	"bytes"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

// beyond returns the byte at an offset from a block, which may lie outside of it.
func beyond(b []byte, at int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), at))
}

func TestWriteBehindTheBlockIsFound(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		for _, at := range []int{size, size + 7, 2*size - 1} {
			b := p.Take(t)
			*beyond(b, at) = 0x11
			tells(t, is(t, p.Free(b), poolrt.ErrCorrupt), "1 byte behind the block was written to", ": 11\n", "handed out", "Pool.Take", "freed")
			if s := p.Stats(); s.Live != 0 {
				t.Errorf("the block is not free: %+v", s)
			}
		}
	})
}

func TestWriteInFrontOfTheBlockIsFound(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		if p.Name == "direct" {
			t.Skip("there is no memory before a block that is a chunk")
		}
		p.Take(t)
		b := p.Take(t)
		*beyond(b, -1) = 0x11
		tells(t, is(t, p.Free(b), poolrt.ErrCorrupt), "1 byte in front of the block was written to, from 1 before it on: 11", "Pool.Take")
	})
}

func TestWriteAfterFreeIsFound(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		var seen []poolrt.Event
		defer poolrt.OnEvent(func(e poolrt.Event) {
			if e.Kind == poolrt.EventCorrupt {
				seen = append(seen, e)
			}
		})()
		b := p.Take(t)
		fatal.If(t, p.Free(b))
		b[3] = 0x22
		tells(t, is(t, p.Close(), poolrt.ErrCorrupt), "written to after it was freed, from its byte 3 on: 22", "handed out", "freed", "TestWriteAfterFreeIsFound")
		if len(seen) != 1 {
			t.Errorf("%d events", len(seen))
		}
		if err := p.Close(); err != nil {
			t.Errorf("closing again: %v", err)
		}
	})
}

func TestBlocksAreFilled(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		want := byte(0xCD)
		if p.Name == "zeroed" || p.Name == "cleared" {
			want = 0
		}
		b := p.Take(t)
		if !bytes.Equal(b, bytes.Repeat([]byte{want}, size)) {
			t.Errorf("a new block holds % x", b)
		}
		fatal.If(t, p.Free(b))
		if !bytes.Equal(b, bytes.Repeat([]byte{0xDD}, size)) {
			t.Errorf("a free block holds % x", b)
		}
	})
}
