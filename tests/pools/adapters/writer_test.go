package adapters

import (
	"errors"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A writer has its content in a block of its pool, up to the limit.
func TestWriter(t *testing.T) {
	p := new(BarePool)
	w := NewBareWriter(p)
	for range 1000 {
		if _, err := w.WriteString("some text\n"); err != nil {
			t.Fatal(err)
		}
	}
	if s := p.Stats(); s.Live != 1 || s.LiveBytes != int64(w.Cap()) {
		t.Errorf("%v with a capacity of %d", s, w.Cap())
	}
	if string(w.Bytes()) != strings.Repeat("some text\n", 1000) {
		t.Error("the content is wrong")
	}
	if _, err := w.ReadFrom(strings.NewReader(strings.Repeat("x", 1<<20))); !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrTooLarge) {
		t.Error(err)
	}
	if w.Len() < 100_000 || !strings.HasSuffix(string(w.Bytes()), "text\n"+strings.Repeat("x", w.Len()-10_000)) {
		t.Errorf("%d bytes were kept", w.Len())
	}
	if err := errors.Join(w.Close(), w.Close(), p.Close()); err != nil {
		t.Error(err)
	}
}
