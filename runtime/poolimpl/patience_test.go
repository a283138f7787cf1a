package poolimpl

import "testing"

// Owners that have owned for a short time make the next one come later, up to a limit; one that has owned for long makes it come as early as the first.
func TestPatience(t *testing.T) {
	var p Patience
	p.Set(10)
	want := uint32(10)
	for i := range maxDoubled + 2 {
		if p.IsOver(want-1) || !p.IsOver(want) {
			t.Fatalf("after %d owners: not %d blocks", i, want)
		}
		p.Begin()
		p.End()
		want = min(2*want, 10<<maxDoubled)
	}
	p.Begin()
	p.began = p.began.Add(-2 * soon)
	if p.End(); !p.IsOver(10) {
		t.Error("an owner for two seconds, and the patience is not the least")
	}
}
