package poolimpl

import (
	"sync"
	"testing"
)

// Goroutines that write the two halves of a word at the same time do not disturb each other.
func TestHalvesAreApart(t *testing.T) {
	var halves [4]uint16
	var all sync.WaitGroup
	for i := range halves {
		all.Go(func() {
			for n := range uint16(20_000) {
				StoreRelaxed16(&halves[i], n<<2+uint16(i))
				if got := LoadRelaxed16(&halves[i]); got != n<<2+uint16(i) {
					t.Errorf("half %d is %d, want %d", i, got, n<<2+uint16(i))
					return
				}
			}
		})
	}
	all.Wait()
}
