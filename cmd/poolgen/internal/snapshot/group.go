package snapshot

import (
	"cmp"
	"slices"
	"time"

	"github.com/poolgen/poolgen/internal/memorymap"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Group is a group of live blocks that the same calls allocated or, if calls are not known, of the same size.
type Group struct {
	Calls  []poolrt.Frame `json:"calls,omitempty"` // the innermost first
	Size   uint64         `json:"size,omitempty"`  // requested for each block, if calls are not known
	Blocks int64          `json:"blocks"`
	Bytes  uint64         `json:"bytes"`           // requested for all of them
	Oldest time.Time      `json:"oldest,omitzero"` // when the first of them was handed out, if known
	Newest time.Time      `json:"newest,omitzero"`
	Addrs  []string       `json:"addrs"` // of some
}

// someAddrs is the number of addresses that a group names.
const someAddrs = 8

// groups gathers blocks.
type groups struct {
	snapshot *poolrt.Snapshot
	pool     *poolrt.PoolSnapshot
	byKey    map[groupKey]*Group
}

type groupKey struct {
	site uint32
	size uint64
}

func newGroups(s *poolrt.Snapshot, p *poolrt.PoolSnapshot) *groups {
	return &groups{s, p, map[groupKey]*Group{}}
}

// add adds a block.
func (g *groups) add(addr uint64, b *poolrt.Piece) {
	key := groupKey{site: b.Site}
	if b.Site == 0 {
		key.size = b.Asked
	}
	to := g.byKey[key]
	if to == nil {
		to = &Group{Calls: callsOf(g.snapshot, b.Site), Size: key.size, Addrs: []string{}}
		g.byKey[key] = to
	}
	to.Blocks++
	to.Bytes = plus(to.Bytes, b.Asked)
	if len(to.Addrs) < someAddrs {
		to.Addrs = append(to.Addrs, memorymap.Place(g.pool, addr))
	}
	if b.Since == 0 {
		return
	}
	at := time.Unix(0, b.Since).In(g.snapshot.Time.Location())
	if to.Oldest.IsZero() || at.Before(to.Oldest) {
		to.Oldest = at
	}
	if at.After(to.Newest) {
		to.Newest = at
	}
}

// list returns the groups, those with the most bytes first.
func (g *groups) list() []Group {
	all := []Group{}
	for _, one := range g.byKey {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Blocks, a.Blocks), slices.Compare(a.Addrs, b.Addrs))
	})
	return all
}

// holders returns the calls that hold the live blocks of a pool, as far as they are known.
func holders(s *poolrt.Snapshot, p *poolrt.PoolSnapshot) []Group {
	g := newGroups(s, p)
	eachLive(p, func(addr uint64, b *poolrt.Piece) {
		if b.Site > 0 {
			g.add(addr, b)
		}
	})
	return g.list()
}

// eachLive goes through the live blocks.
func eachLive(p *poolrt.PoolSnapshot, see func(addr uint64, b *poolrt.Piece)) {
	for i := range p.Chunks {
		c := &p.Chunks[i]
		for k := range c.Pieces {
			if b := &c.Pieces[k]; b.State == poolrt.PieceLive {
				see(c.Addr+b.Off, b)
			}
		}
	}
}
