package slabs

import (
	rt "runtime"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.SpreadingCore = (*Core)(nil)

// One goroutine allocates the first blocks of several streams: each stream has a slab of its own, although the processor is the same.
func TestStreamsSpread(t *testing.T) {
	if !feature.AllocsOn {
		t.Skip("no block is allocated on a stream")
	}
	const processors = 4
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(processors))
	p := newPool(2)
	bytes := bins[0]
	streams := map[*slab]uint64{}
	for range 2 {
		for stream := range uint64(min(processors, int(feature.Caches))) {
			slot, off, ok := p.AllocOn(1000*processors+stream, bytes)
			if !ok {
				t.Fatalf("no block for stream %d", stream)
			}
			s := p.find(p.bases[slot] + off)
			if other, ok := streams[s]; s == nil || ok && other != stream {
				t.Fatalf("slab %p has blocks of streams %d and %d", s, other, stream)
			}
			streams[s] = stream
		}
	}
	if len(streams) != min(processors, int(feature.Caches)) {
		t.Errorf("%d streams have %d slabs", min(processors, int(feature.Caches)), len(streams))
	}
	slot, off, ok := p.AllocOn(1, 2*bins[len(bins)-1]) // from no slab
	if addr := p.bases[slot] + off; !ok || p.find(addr) != nil && p.find(addr).locate(addr).line != nil {
		t.Errorf("a large block: %d, %d, %t", slot, off, ok)
	}
}
