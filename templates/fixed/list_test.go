package fixed

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/templates/feature"
)

// TestNumber: number divides multiples of the size of a block, and makes of all else at least what a chunk can have blocks.
func TestNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	most := ^uint64(0) / blockSize // a chunk ends below 2^64
	for i := range 1 << 16 {
		off := r.Uint64() >> (i % 64)
		got, exact := number(off), off%blockSize == 0
		if exact && got != off/blockSize || !exact && got < most {
			t.Fatalf("number(%d) = %d for blocks of %d", off, got, blockSize)
		}
		if off -= off % blockSize; number(off) != off/blockSize {
			t.Fatalf("number(%d) = %d, want %d", off, number(off), off/blockSize)
		}
	}
}

// TestPopPush: a list gives back what it was given, last in first out, and takes live blocks alone.
func TestPopPush(t *testing.T) {
	l := List{Head: 2, next: []uint32{1, ^uint32(1), 0}}
	if feature.Handles {
		l.gens = []uint32{1, 1, 1}
	}
	for _, want := range []uint64{2, 0, 1} {
		rest, off, ok := l.Pop()
		if !ok || off != want*blockSize {
			t.Fatalf("Pop = %d, %v; want %d", off, ok, want*blockSize)
		}
		l = rest
	}
	if _, _, ok := l.Pop(); ok {
		t.Error("Pop of an empty list")
	}
	for _, off := range []uint64{1 * blockSize, 0} {
		longer, ok := l.Push(off)
		if !ok {
			t.Fatalf("Push(%d) of a live block", off)
		}
		l = longer
		if _, ok := l.Push(off); ok {
			t.Errorf("Push(%d) twice", off)
		}
	}
	if _, ok := l.Push(3 * blockSize); ok {
		t.Error("Push behind the carved blocks")
	}
	if _, off, _ := l.Pop(); off != 0 {
		t.Errorf("Pop = %d, not what was pushed last", off)
	}
}
