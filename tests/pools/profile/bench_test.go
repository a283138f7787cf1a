//go:build !pooltrace

package profile

import "testing"

// BenchmarkSampled allocates and frees a block that is sampled each time.
func BenchmarkSampled(b *testing.B) {
	p := new(WideMutexPool)
	for b.Loop() {
		block, err := p.Alloc()
		if err == nil {
			err = p.Free(block)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	check(b, p.Close())
}
