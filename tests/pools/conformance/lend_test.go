package conformance

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A request that is too large for the pool itself is served by the pool that its ladder names. The block is returned there.
func TestLenderServesWhatIsTooLarge(t *testing.T) {
	p := must[*NarrowPool](t)(NewNarrowPool())
	b := must[[]byte](t)(p.Alloc(1 << 20))
	if s := p.Stats(); s.Live != 0 || s.Reserved != 0 {
		t.Errorf("the block counts as the borrower's: %+v", s)
	}
	if err := p.Free(b); err != nil {
		t.Error(err)
	}
	want(t, p.Free(b), poolrt.ErrInvalidFree)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
