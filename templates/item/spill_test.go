package item

import "testing"

// Another pool's ladder gets blocks here as addresses, and gives them back.
func TestSpill(t *testing.T) {
	if !spilled || config.Source == nil {
		t.Skip("this pool serves no other")
	}
	p := newPool(t)
	at, err := p.spillAlloc(0, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.spillFree(at, 1); err != nil {
		t.Error(err)
	}
	if p.spillFree(at, 1) == nil {
		t.Error("a second free is accepted")
	}
	closed(t, p)
}
