package snapshot

import (
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Difference is what changed from one snapshot to another, the JSON of poolgen snapshot with two files.
type Difference struct {
	Before Head             `json:"before"`
	After  Head             `json:"after"`
	Pools  []PoolDifference `json:"pools"` // those of the second, then those that went
}

// PoolDifference is what changed of a pool.
type PoolDifference struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`
	Before *Figures `json:"before"` // null: it came
	After  *Figures `json:"after"`  // null: it went
	// Known says that the live blocks of both are known one by one. They are not for pools of concurrency none, nor for bump.
	Known bool    `json:"known"`
	New   Sum     `json:"new"`    // live blocks of the second that the first does not have: another place, size, or time at which it was handed out
	Gone  Sum     `json:"gone"`   // the other way round
	NewBy []Group `json:"new_by"` // the new ones by calls, or by size
}

// Figures are those of a pool at a time.
type Figures struct {
	poolrt.Stats
	Free          int64   `json:"free"`
	Fragmentation float64 `json:"fragmentation"`
	Parked        int64   `json:"parked"`
}

func figuresOf(p *poolrt.PoolSnapshot) *Figures {
	return &Figures{p.Stats, p.Free, p.Fragmentation, parkedBytes(p)}
}

func parkedBytes(p *poolrt.PoolSnapshot) (bytes int64) {
	for _, q := range p.Parked {
		bytes += q.Bytes
	}
	return bytes
}

// side is a pool in one of the snapshots, or the lack of it.
type side struct {
	of   *poolrt.Snapshot
	pool *poolrt.PoolSnapshot
}

// Between compares two snapshots. Pools are the same if they have the same name, and are as many-th of it.
func Between(before, after *poolrt.Snapshot) Difference {
	d := Difference{headOf(before), headOf(after), []PoolDifference{}}
	old := map[poolKey]*poolrt.PoolSnapshot{}
	for key, p := range inOrder(before) {
		old[key] = p
	}
	for key, p := range inOrder(after) {
		d.Pools = append(d.Pools, between(side{before, old[key]}, side{after, p}))
		delete(old, key)
	}
	for key, p := range inOrder(before) {
		if old[key] != nil {
			d.Pools = append(d.Pools, between(side{before, p}, side{after, nil}))
		}
	}
	return d
}

// poolKey tells pools of one name apart.
type poolKey struct {
	name   string
	number int
}

// inOrder goes through the pools of a snapshot.
func inOrder(s *poolrt.Snapshot) func(func(poolKey, *poolrt.PoolSnapshot) bool) {
	return func(yield func(poolKey, *poolrt.PoolSnapshot) bool) {
		seen := map[string]int{}
		for i := range s.Pools {
			p := &s.Pools[i]
			if !yield(poolKey{p.Name, seen[p.Name]}, p) {
				return
			}
			seen[p.Name]++
		}
	}
}

// singly reports whether each live block of the pool is a piece of its own.
func singly(p *poolrt.PoolSnapshot) bool { return p.Walked && p.Suballocator != "bump" }

// between compares a pool with what it was.
func between(was, is side) PoolDifference {
	p := is.pool
	if p == nil {
		p = was.pool
	}
	d := PoolDifference{Name: p.Name, Unit: p.Unit, Known: true, NewBy: []Group{}}
	for _, one := range []struct {
		side
		to **Figures
	}{{was, &d.Before}, {is, &d.After}} {
		if one.pool != nil {
			*one.to = figuresOf(one.pool)
			d.Known = d.Known && singly(one.pool)
		}
	}
	if d.Known {
		by := newGroups(is.of, p)
		d.New = is.without(was, by.add)
		d.NewBy = by.list()
		d.Gone = was.without(is, func(uint64, *poolrt.Piece) {})
	}
	return d
}

// without adds up the live blocks that the other side does not have.
func (s side) without(other side, see func(addr uint64, b *poolrt.Piece)) (sum Sum) {
	has := map[uint64]*poolrt.Piece{}
	other.eachLive(func(addr uint64, b *poolrt.Piece) { has[addr] = b })
	s.eachLive(func(addr uint64, b *poolrt.Piece) {
		if !s.same(b, has[addr], other) {
			sum = sum.plus(1, b.Asked)
			see(addr, b)
		}
	})
	return sum
}

func (s side) eachLive(see func(addr uint64, b *poolrt.Piece)) {
	if s.pool != nil {
		eachLive(s.pool, see)
	}
}

// same reports whether a block is the one that the other side has in its place, as far as can be told.
func (s side) same(a, b *poolrt.Piece, other side) bool {
	switch {
	case b == nil || a.Size != b.Size:
		return false
	case a.Since != 0 && b.Since != 0:
		return a.Since == b.Since
	case a.Since != 0: // one was sampled: it is another if it came when the other was there already
		return a.Since <= other.of.Time.UnixNano()
	case b.Since != 0:
		return b.Since <= s.of.Time.UnixNano()
	}
	return true
}
