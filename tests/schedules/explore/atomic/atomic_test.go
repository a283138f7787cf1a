package atomic

import "testing"

// Outside of an exploration, operations do what those of sync/atomic do.
func TestOperations(t *testing.T) {
	var n Int32
	n.Store(-3)
	if n.Add(2) != -1 || n.Swap(6) != -1 || n.Or(1) != 6 || n.And(3) != 7 || n.Load() != 3 {
		t.Errorf("a number has become %d", n.Load())
	}
	if n.CompareAndSwap(4, 5) || !n.CompareAndSwap(3, -5) || n.Load() != -5 {
		t.Errorf("a number has become %d", n.Load())
	}
	var b Bool
	if b.Swap(true) || !b.CompareAndSwap(true, false) || b.Load() {
		t.Error("a bool is true")
	}
	x, y := 1, 2
	var p Pointer[int]
	if p.Store(&x); p.Swap(&y) != &x || p.CompareAndSwap(&x, nil) || p.Load() != &y {
		t.Error("a pointer has another value")
	}
	w := uint32(7)
	if StoreUint32(&w, 8); LoadUint32(&w) != 8 || AddUint32(&w, ^uint32(0)) != 7 || !CompareAndSwapUint32(&w, 7, 9) || w != 9 {
		t.Errorf("a word has become %d", w)
	}
}
