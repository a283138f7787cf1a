package poolimpl

import (
	"math/rand/v2"
	"testing"
)

// blockSizes are small, large, odd and even sizes, powers of two, and random ones.
func blockSizes() []uint64 {
	sizes := []uint64{1, 2, 3, 5, 7, 24, 48, 64, 100, 65544, 1 << 20, 1<<31 - 1, 1<<31 + 1, 3 << 40, 1<<63 - 1, 1 << 63, 1<<64 - 2, 1<<64 - 1}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range uint(64) {
		sizes = append(sizes, r.Uint64()>>i|1, (r.Uint64()>>i|1)<<(i/2))
	}
	return sizes
}

// TestNumbers: Of divides multiples of the size of a block, and makes of all else more than a chunk can have blocks.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range blockSizes() {
		numbers := NumbersOf(size)
		most := ^uint64(0) / size // a chunk ends below 2^64
		for i := range 1 << 12 {
			off := r.Uint64() >> (i % 64)
			got, exact := numbers.Of(off), off%size == 0
			if exact && got != off/size || !exact && got <= most {
				t.Fatalf("Of(%d) = %d for blocks of %d", off, got, size)
			}
			if off -= off % size; numbers.Of(off) != off/size {
				t.Fatalf("Of(%d) = %d, want %d", off, numbers.Of(off), off/size)
			}
		}
	}
}

func TestInverse(t *testing.T) {
	for _, size := range blockSizes() {
		if odd := size | 1; odd*inverse(odd) != 1 {
			t.Errorf("inverse(%d) = %d", odd, inverse(odd))
		}
	}
}
