package span

import (
	"testing"

	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// Another pool's ladder gets blocks here as addresses, and gives them back.
func TestSpill(t *testing.T) {
	if !spilled || config.Source == nil {
		t.Skip("this pool serves no other")
	}
	p := newPool(t)
	at, err := p.spillAlloc(0, 5*mem.ItemSize, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.spillFree(at, 5*mem.ItemSize); err != nil {
		t.Error(err)
	}
	if p.spillFree(at, 5*mem.ItemSize) == nil {
		t.Error("a second free is accepted")
	}
	closed(t, p)
}
