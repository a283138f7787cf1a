package snapshot

import (
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// mostCalls bounds the bytes of calls in output where each group and each event has its own, such as JSON. A snapshot has each call once, and without
// a bound a small file could become arbitrarily large.
const mostCalls = 256 << 20

// besidesNames is about how many bytes a call takes besides its names.
const besidesNames = 40

// Bounded refuses snapshots that are too large to be written so.
func Bounded(list ...*poolrt.Snapshot) error {
	for _, s := range list {
		if n := callBytes(s); n > mostCalls {
			return fmt.Errorf("the calls, with each of the blocks and events that they are of, come to %d MiB, and %d MiB are the most: name some of the pools", n>>20, mostCalls>>20)
		}
	}
	return nil
}

// callBytes returns the bytes of all calls of groups and events.
func callBytes(s *poolrt.Snapshot) (total int64) {
	size := make([]int64, 1+len(s.Sites))
	for i := range s.Sites {
		for _, f := range s.Sites[i].Frames {
			size[i+1] += int64(len(f.Function) + len(f.File) + besidesNames)
		}
	}
	for i := range s.Pools {
		p := &s.Pools[i]
		grouped := map[uint32]bool{}
		eachLive(p, func(_ uint64, b *poolrt.Piece) {
			if uint64(b.Site) < uint64(len(size)) && !grouped[b.Site] {
				grouped[b.Site] = true
				total += size[b.Site]
			}
		})
		for _, e := range p.Events {
			if uint64(e.Site) < uint64(len(size)) {
				total += size[e.Site]
			}
		}
	}
	return total
}
