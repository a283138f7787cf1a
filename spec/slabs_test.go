package spec

import (
	"fmt"
	"testing"
)

// Pools have slabs where that is possible, of sizes that suit their alignment.
func TestSlabBins(t *testing.T) {
	for keys, want := range map[string]string{
		"suballocator: heap":                                           "44, from 16, 32, 48, 64, 80 to 65536",
		"suballocator: heap; fit: best; min_split: 1KiB":               "44, from 16, 32, 48, 64, 80 to 65536",
		"suballocator: heap; item: float32":                            "44, from 16, 32, 48, 64, 80 to 65536",
		"suballocator: heap; alignment: 64":                            "36, from 64, 128, 192, 256, 320 to 65536",
		"suballocator: heap; allocator: device; ordering: sync":        "28, from 256, 512, 768, 1024, 1280 to 65536",
		"suballocator: heap; limit: 256KiB":                            "44, from 16, 32, 48, 64, 80 to 65536",
		"suballocator: heap; limit: 252KiB":                            "none",
		"suballocator: heap; alignment: 128KiB":                        "none",
		"suballocator: heap; trim: {keep: 1MiB}":                       "none",
		"suballocator: heap; allocator: device":                        "28, from 256, 512, 768, 1024, 1280 to 65536",
		"suballocator: classes; ordering: deferred; allocator: pinned": "8, from 512, 1024, 2048, 4096, 8192 to 65536",
		"suballocator: heap; allocator: none; limit: 1000000":          "none",
		"suballocator: binned":                                         "9, from 16, 32, 64, 128, 256 to 4096",
		"suballocator: binned; bins: [100, 200, 300, 1000]":            "4, from 112, 208, 304, 1008 to 1008",
		"suballocator: classes":                                        "8, from 512, 1024, 2048, 4096, 8192 to 65536",
		"suballocator: classes; cache: {per_bin: 3}":                   "none",
		"suballocator: classes; cache: {bytes: 3MiB}":                  "none",
		"suballocator: ring":                                           "none",
	} {
		p := onlyPool(t, keys+"; concurrency: sharded")
		if got := slabBins(&p); got != want {
			t.Errorf("%q: %s, want %s", keys, got, want)
		}
		p.Concurrency = Mutex
		if got := slabBins(&p); got != "none" {
			t.Errorf("%q with a mutex: %s", keys, got)
		}
	}
}

// slabBins describes the number of sizes, the first and the last.
func slabBins(p *Pool) string {
	bins := p.SlabBins()
	if len(bins) == 0 {
		return "none"
	}
	text := fmt.Sprintf("%d, from ", len(bins))
	for i, n := range bins[:min(len(bins), 5)] {
		if n%p.Granule() != 0 {
			return fmt.Sprintf("%d is not aligned", n)
		}
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return fmt.Sprintf("%s to %d", text, bins[len(bins)-1])
}
