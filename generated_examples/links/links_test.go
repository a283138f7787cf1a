package links

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func Example() {
	t, err := NewTable(1 << 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	for key := range uint64(5000) {
		if err := t.Put(key, key*key); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(t.Get(70))
	fmt.Println(t.Delete(70))
	fmt.Println(t.Get(70))
	fmt.Println(t.Close())
	// Output:
	// 4900 true
	// true
	// 0 false
	// <nil>
}

// A table is like a map.
func TestTable(t *testing.T) {
	table, err := NewTable(1 << 8)
	if err != nil {
		t.Fatal(err)
	}
	want := map[uint64]uint64{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		key, value := r.Uint64N(3000), r.Uint64()
		if r.IntN(3) == 0 {
			_, known := want[key]
			if table.Delete(key) != known {
				t.Fatalf("Delete of %d, known %t", key, known)
			}
			delete(want, key)
			continue
		}
		want[key] = value
		if err := table.Put(key, value); err != nil {
			t.Fatal(err)
		}
	}
	for key := range uint64(3001) {
		value, ok := table.Get(key)
		if w, known := want[key]; value != w || ok != known {
			t.Fatalf("key %d: %d, %t, want %d, %t", key, value, ok, w, known)
		}
	}
	if live := table.pool.Stats().Live; live != int64(len(want)) {
		t.Errorf("%d entries for %d keys", live, len(want))
	}
	if err := table.Close(); err != nil {
		t.Error(err)
	}
}

// An index is that of one block, from 1 on. What is no block has index 0, and an index of no block leads to nil.
func TestIndex(t *testing.T) {
	p, err := NewNodePool()
	if err != nil {
		t.Fatal(err)
	}
	if p.AtIndex(0) != nil || p.AtIndex(1) != nil || p.Index(nil) != 0 || p.Index(new(Node)) != 0 {
		t.Error("an unused pool has blocks")
	}
	seen := map[uint32]bool{}
	for range 1000 {
		n, err := p.Alloc()
		if err != nil {
			t.Fatal(err)
		}
		i := p.Index(n)
		if i == 0 || seen[i] || p.AtIndex(i) != n {
			t.Fatalf("block at %p has index %d, that of %p", n, i, p.AtIndex(i))
		}
		seen[i] = true
	}
	if p.AtIndex(1<<30/24) == nil || p.AtIndex(1<<30/24+1) != nil || p.AtIndex(^uint32(0)) != nil || p.Index(new(Node)) != 0 {
		t.Error("the last index is not that of the last block")
	}
	if err := p.CloseForce(); err != nil {
		t.Error(err)
	}
	if p.AtIndex(1) != nil {
		t.Error("a closed pool has blocks")
	}
}
