package callers

import (
	"sync"
	"testing"
)

// Goroutines get the numbers that their stack traces have, also when many run.
func TestGoroutine(t *testing.T) {
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if got, want := Goroutine(), printed(); got != want || got == 0 {
				t.Errorf("goroutine %d is taken for %d", want, got)
			}
		})
	}
	all.Wait()
}
