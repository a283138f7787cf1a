package poolimpl

import (
	"errors"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// The blocks of a batch that fails go back, guarded or not.
func TestGuardsOfFailedBatch(t *testing.T) {
	p := newGuardRig(t, func(c *Config) { c.Limit = 100 })
	dst := make([]Block, 20)
	of := func(b Block) Block { return b }
	addr := func(b Block) uint64 { return b.Addr }
	none := func([]Block) int { return 0 }
	if n, err := CompleteBatch(p.ready(), dst, 0, 10, of, addr, none); n != 0 || !errors.Is(err, poolrt.ErrLimit) {
		t.Fatalf("%d, %v", n, err)
	}
	if s := p.ready().Stats(); s.Live != 0 || s.Guarded != 0 || s.Reserved != 0 {
		t.Errorf("%v", s)
	}
	if n, err := CompleteBatch(p.ready(), dst[:5], 0, 10, of, addr, none); n != 5 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if s := p.ready().Stats(); s.Live != 5 || s.Guarded != 5 {
		t.Errorf("%v", s)
	}
	for _, b := range dst[:5] {
		p.mustFree(block{b.Addr, 10})
	}
}

// A guarded block is found by its address, and a snapshot says who has allocated it.
func TestGuardedBlockIsShown(t *testing.T) {
	p := newGuardRig(t, nil)
	before := time.Now().UnixNano()
	b := allocGuarded(t, p, 24)
	after := time.Now().UnixNano()
	found, err := p.ready().Find(b.Addr, 8)
	if err != nil || found.Ptr != b.Ptr || found.Items != 3 {
		t.Errorf("%v, %v", found, err)
	}
	s := p.ready().Snapshot()
	shown := 0
	for _, piece := range s.Pools[0].Chunks[0].Pieces {
		if piece.Site > 0 && piece.Since >= before && piece.Since <= after && piece.Asked == 24 {
			shown++
		}
	}
	if shown != 1 {
		t.Errorf("%d of the pieces are known: %+v", shown, s.Pools[0].Chunks)
	}
	fatal.If(t, freeGuardedBlock(p, b))
	if _, err := p.ready().Find(b.Addr, 8); !errors.Is(err, poolrt.ErrInvalidFree) {
		t.Errorf("a freed block is found: %v", err)
	}
}

// A block that another pool lends can be guarded, and goes back.
func TestGuardedBlockOfAnotherPool(t *testing.T) {
	other := newRig(t, func(c *Config) { c.Name = "test.Other" })
	p := newGuardRig(t, func(c *Config) {
		c.Limit, c.Ladder = 1, []Rung{PoolRung{Pool: lenderOf(other)}, ErrorRung{}}
	})
	b := allocGuarded(t, p, 10)
	if n := other.ready().Stats().Live; n != 1 || p.ready().guards.count() != 1 {
		t.Fatalf("%d blocks of the other pool are live", n)
	}
	if err := freeGuardedBlock(p, b); err != nil || other.ready().Stats().Live != 0 {
		t.Errorf("%v, %v", err, other.ready().Stats())
	}
}

// A block that is being allocated while a reset frees all blocks, or after Close, is not guarded: its place may be that of another block.
func TestGuardsDuringReset(t *testing.T) {
	p := newGuardRig(t, nil)
	e := p.ready()
	r := &request{bytes: 10, align: 1}
	guards := func(of Sample) bool {
		seat := foundBlock{Addr: 100}
		got := e.generated.Sampling.(*Sampling).guard(e, of, seat, r.bytes, r.align)
		return got != seat
	}
	now := func() Sample { return Sample{Guard: true, turns: e.guards.turn()} }
	before := now()
	e.guards.beginSweep()
	if guards(before) || guards(now()) {
		t.Error("a block is guarded during a reset")
	}
	before = now()
	e.guards.endSweep()
	if guards(before) {
		t.Error("a block is guarded that was found during the reset")
	}
	if !guards(now()) {
		t.Error("no block is guarded after the reset")
	}
	e.guards.clear()
	if guards(now()) {
		t.Error("a block of a closed pool is guarded")
	}
}

// A block that is sampled comes from a chunk at once if one has it: nothing is done that is for requests which no chunk can serve.
func TestSampledAtOnce(t *testing.T) {
	if Observed {
		t.Skip("no block is sampled in this build")
	}
	p := newRig(t, func(c *Config) { c.Sampling = &Sampling{Weights: Weights{PerBlock: 1}} })
	e := p.ready()
	blocks := []Block{allocGuarded(t, p, 10)}
	spare, err := p.source.Alloc(10, 1)
	fatal.If(t, err)
	e.foreign.direct.unreturned = []Chunk{spare} // which goes back as soon as a request grows the pool or fails
	blocks = append(blocks, allocGuarded(t, p, 10))
	batch := batch{engine: e, bytes: 10}
	found, err := batch.next()
	if err != nil || len(e.foreign.direct.unreturned) != 1 {
		t.Errorf("%v, %d chunks are still to be returned", err, len(e.foreign.direct.unreturned))
	} else if err := p.source.Free(spare); err != nil {
		t.Error(err)
	}
	e.foreign.direct.unreturned = nil
	for _, b := range append(blocks, Block{found, 10}) {
		fatal.If(t, freeGuardedBlock(p, b))
	}
	fatal.If(t, p.close())
}
