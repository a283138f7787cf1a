package snapshot

import (
	"cmp"

	"github.com/poolgen/poolgen/internal/difference"
	"github.com/poolgen/poolgen/internal/memorymap"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Difference lists what changed from one snapshot to another. It is the JSON of poolgen snapshot with two files.
type Difference struct {
	Before Head             `json:"before"`
	After  Head             `json:"after"`
	Pools  []PoolDifference `json:"pools"` // those of the second, then those that went
}

// PoolDifference lists what changed in a pool.
type PoolDifference struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`
	Before *Figures `json:"before"` // null: it came
	After  *Figures `json:"after"`  // null: it went
	// Known says that the live blocks of both snapshots are known one by one. They are not in pools of concurrency none, and in pools whose blocks
	// are freed all at once.
	Known bool    `json:"known"`
	New   Sum     `json:"new"`    // live blocks of the second that the first does not have: another place, size, or time at which it was handed out
	Gone  Sum     `json:"gone"`   // the other way round
	NewBy []Group `json:"new_by"` // the new ones by calls, or by size

	oneSize bool // see there
}

// Figures are the figures of a pool at a time.
type Figures struct {
	poolrt.Stats
	Free          int64   `json:"free"`
	Fragmentation float64 `json:"fragmentation"`
	PendingBytes  int64   `json:"pending_bytes"`
}

func figuresOf(p *poolrt.PoolSnapshot) *Figures {
	return &Figures{p.Stats, p.Free, p.Fragmentation, pendingBytes(p)}
}

func pendingBytes(p *poolrt.PoolSnapshot) (bytes int64) {
	for _, q := range p.Pending {
		bytes += q.Bytes
	}
	return bytes
}

// Between compares two snapshots. Pools are the same if they have the same name and the same position among the pools of that name.
func Between(before, after *poolrt.Snapshot) Difference {
	d := Difference{headOf(before), headOf(after), []PoolDifference{}}
	for _, pair := range difference.Pairs(before, after) {
		d.Pools = append(d.Pools, between(after, pair))
	}
	return d
}

// between compares a pool with its earlier state.
func between(after *poolrt.Snapshot, pair difference.Pair) PoolDifference {
	was, is := pair.Before.Pool, pair.After.Pool
	p := cmp.Or(is, was)
	d := PoolDifference{Name: p.Name, Unit: p.Unit, Known: pair.Known(), NewBy: []Group{}, oneSize: memorymap.OneSize(&p.PoolInfo)}
	if was != nil {
		d.Before = figuresOf(was)
	}
	if is != nil {
		d.After = figuresOf(is)
	}
	if !d.Known {
		return d
	}
	by := newGroups(after, p)
	pair.After.Without(pair.Before, func(chunk, piece int) {
		c := &is.Chunks[chunk]
		b := &c.Pieces[piece]
		d.New = d.New.plus(1, b.Asked)
		by.add(c.Addr+b.Off, b)
	})
	d.NewBy = by.list()
	pair.Before.Without(pair.After, func(chunk, piece int) {
		d.Gone = d.Gone.plus(1, was.Chunks[chunk].Pieces[piece].Asked)
	})
	return d
}
