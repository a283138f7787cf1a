package guards

import "testing"

// BenchmarkGuardedPair allocates and frees a block that is guarded.
func BenchmarkGuardedPair(b *testing.B) {
	var p AlonePool
	for b.Loop() {
		block, err := p.Alloc()
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Free(block); err != nil {
			b.Fatal(err)
		}
	}
}
