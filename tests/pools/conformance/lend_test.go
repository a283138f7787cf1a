package conformance

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"testing"
)

// A request that the pool itself could never serve still gets to the pool that its ladder names, and goes back there.
func TestLenderServesWhatIsTooLarge(t *testing.T) {
	p := must[*NarrowPool](t)(NewNarrowPool())
	b := must[[]byte](t)(p.Alloc(1 << 20))
	if s := p.Stats(); s.Live != 0 || s.Reserved != 0 {
		t.Errorf("the block counts here: %+v", s)
	}
	if err := p.Free(b); err != nil {
		t.Error(err)
	}
	want(t, p.Free(b), poolrt.ErrInvalidFree)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
