// Package snapshot reports what is in snapshots of pools, and what changed between two, for people and for programs: the text and the JSON of poolgen
// snapshot. poolrt.ReadSnapshot reads the snapshots, package memorymap draws the maps in the text, and package difference compares.
package snapshot

import (
	"time"

	"github.com/poolgen/poolgen/internal/memorymap"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Head says which program a snapshot is of, and when it was taken.
type Head struct {
	Program string    `json:"program"`
	Time    time.Time `json:"time"`
	Debug   bool      `json:"debug"` // built with the tag pooldebug
}

func headOf(s *poolrt.Snapshot) Head { return Head{s.Program, s.Time, s.Debug} }

// Digest is a snapshot without its single pieces, for programs: the JSON of poolgen snapshot. Fields keep their names and meaning; fields may be
// added.
type Digest struct {
	Head
	Pools []Pool `json:"pools"`
}

// Pool is one pool of a digest. Sizes are in its unit. Addresses are texts, in hexadecimal; numbered resources are in decimal.
type Pool struct {
	poolrt.PoolInfo
	Walked        bool                  `json:"walked"` // whether its pieces are known
	Free          int64                 `json:"free"`
	Fragmentation float64               `json:"fragmentation"`
	States        map[string]Sum        `json:"states"` // free, live, pending, cached, hole, waste: the states that occur
	Chunks        []Chunk               `json:"chunks"` // by address
	Pending       []poolrt.PendingFrees `json:"pending"`
	Classes       []poolrt.ClassStats   `json:"classes,omitempty"` // by size, then the rest; in a pool with size classes
	Holders       []Group               `json:"holders"`           // live blocks whose calls are known, by calls
	Events        []Event               `json:"events"`            // the last ones, in order
}

// Sum counts some pieces and their bytes: the bytes that they take, or, for blocks in a difference, the bytes that were requested.
type Sum struct {
	Pieces int64  `json:"pieces"`
	Bytes  uint64 `json:"bytes"`
}

// Chunk is one piece of memory from the allocator.
type Chunk struct {
	Addr   string         `json:"addr"`
	Size   uint64         `json:"size"`
	States map[string]Sum `json:"states"`
}

// Event is one of the last things that happened to a pool.
type Event struct {
	Number uint64            `json:"number"`
	Time   time.Time         `json:"time"`
	Kind   poolrt.FlightKind `json:"kind"`
	Addr   string            `json:"addr,omitempty"`
	Bytes  uint64            `json:"bytes,omitempty"`
	Stream uint64            `json:"stream,omitempty"`
	Calls  []poolrt.Frame    `json:"calls,omitempty"` // of an alloc that was sampled
}

// Of digests a snapshot.
func Of(s *poolrt.Snapshot) Digest {
	d := Digest{headOf(s), []Pool{}}
	for i := range s.Pools {
		d.Pools = append(d.Pools, poolOf(s, &s.Pools[i]))
	}
	return d
}

func poolOf(s *poolrt.Snapshot, p *poolrt.PoolSnapshot) Pool {
	d := Pool{
		PoolInfo: p.PoolInfo, Walked: p.Walked, Free: p.Free, Fragmentation: p.Fragmentation,
		States: map[string]Sum{}, Chunks: []Chunk{}, Pending: append([]poolrt.PendingFrees{}, p.Pending...), Classes: p.Classes, Holders: holders(s, p), Events: []Event{},
	}
	for i := range p.Chunks {
		c := &p.Chunks[i]
		chunk := Chunk{memorymap.Place(p, c.Addr), c.Size, map[string]Sum{}}
		for k := range c.Pieces {
			chunk.States[memorymap.Name(c.Pieces[k].State)] = chunk.States[memorymap.Name(c.Pieces[k].State)].plus(1, c.Pieces[k].Size)
		}
		for name, sum := range chunk.States {
			d.States[name] = d.States[name].plus(sum.Pieces, sum.Bytes)
		}
		d.Chunks = append(d.Chunks, chunk)
	}
	for _, e := range p.Events {
		event := Event{Number: e.Number, Time: e.Time, Kind: e.Kind, Bytes: e.Bytes, Stream: e.Stream, Calls: callsOf(s, e.Site)}
		if e.Addr != 0 {
			event.Addr = memorymap.Place(p, e.Addr)
		}
		d.Events = append(d.Events, event)
	}
	return d
}

// plus adds two numbers, and saturates.
func (s Sum) plus(pieces int64, bytes uint64) Sum {
	return Sum{s.Pieces + pieces, plus(s.Bytes, bytes)}
}

func plus(a, b uint64) uint64 {
	if a+b < a {
		return ^uint64(0)
	}
	return a + b
}

// callsOf returns the calls of a site.
func callsOf(s *poolrt.Snapshot, site uint32) []poolrt.Frame {
	if site == 0 || uint64(site) > uint64(len(s.Sites)) {
		return nil
	}
	return s.Sites[site-1].Frames
}
