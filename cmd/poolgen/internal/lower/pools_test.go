package lower

import (
	"fmt"
	"testing"
)

// A pool whose limit is one chunk has no search for chunks, unless the chunk is cut short because its blocks cannot be indexed.
func TestOneChunk(t *testing.T) {
	for _, test := range []struct {
		item, chunk, limit string
		want               bool
	}{
		{"byte", "64KiB", "64KiB", true},
		{"byte", "64KiB", "69631", true},
		{"byte", "64KiB", "68KiB", false},
		{"byte", "64KiB", "none", false},
		{"byte", "4194303KiB", "4GiB", false},
		{"byte", "8GiB", "8GiB", false},
		{"uint16", "8GiB", "8GiB", false},
		{"uint32", "8GiB", "8GiB", true},
		{"T", "8GiB", "8GiB", false},
		{"T", "1GiB", "1GiB", true},
	} {
		pkg := planned(t, fmt.Sprintf("version: 1\npools: [{name: A, item: %s, suballocator: fixed, chunk_size: %s, limit: %s}]\n", test.item, test.chunk, test.limit))
		if got := pkg.Pools[0].OneChunk; got != test.want {
			t.Errorf("item %s, chunk_size %s, limit %s: %t", test.item, test.chunk, test.limit, got)
		}
	}
}
