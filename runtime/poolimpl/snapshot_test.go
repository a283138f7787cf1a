package poolimpl

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// shape formats the pieces of a snapshot's chunks as letters with sizes.
func shape(p poolrt.PoolSnapshot) string {
	var all []string
	for _, c := range p.Chunks {
		var b strings.Builder
		for _, piece := range c.Pieces {
			b.WriteByte("flpchw"[piece.State])
			fmt.Fprint(&b, piece.Size)
		}
		all = append(all, b.String())
	}
	return strings.Join(all, " ")
}

// snapshotIn returns a pool's part of a snapshot.
func snapshotIn(t testing.TB, s *poolrt.Snapshot, name string) poolrt.PoolSnapshot {
	t.Helper()
	at := slices.IndexFunc(s.Pools, func(p poolrt.PoolSnapshot) bool { return p.Name == name })
	if at < 0 {
		t.Fatalf("no pool %q", name)
	}
	return s.Pools[at]
}

func TestSnapshot(t *testing.T) {
	p := named(t, "p", nil)
	a, b, c := p.mustAlloc(20), p.mustAlloc(30), p.mustAlloc(40)
	d := p.mustAlloc(90)
	p.mustFree(b)
	got := snapshotIn(t, poolrt.TakeSnapshot(), p.config.Name)
	if shape(got) != "l20f30l40f10 l90f10" || !got.Walked || got.Stats != p.Stats() {
		t.Errorf("%s of %+v", shape(got), got)
	}
	if got.Chunks[0].Addr != a.addr || got.Chunks[0].Size != 100 || got.Chunks[1].Addr != d.addr {
		t.Errorf("%+v", got.Chunks)
	}
	if got.Free != 50 || got.Fragmentation != 1-30.0/50 {
		t.Errorf("free %d, fragmentation %v", got.Free, got.Fragmentation)
	}
	p.mustFree(a, c, d)
	if got = snapshotIn(t, p.Snapshot(), p.config.Name); shape(got) != "f100 f100" || got.Free != 200 || got.Fragmentation != 0.5 {
		t.Errorf("%s, %+v", shape(got), got)
	}
	fatal.If(t, p.close())
	if got = snapshotIn(t, p.Snapshot(), p.config.Name); len(got.Chunks) != 0 || got.Fragmentation != 0 {
		t.Errorf("%+v", got)
	}
}

// Only the owner of a pool without a lock gets its pieces.
func TestSnapshotWithoutLock(t *testing.T) {
	p := named(t, "p", func(c *Config) { c.Locked = false })
	p.mustAlloc(20)
	if got := snapshotIn(t, poolrt.TakeSnapshot(), p.config.Name); got.Walked || len(got.Chunks) != 0 || got.Stats.Live != 1 {
		t.Errorf("%+v", got)
	}
	if got := snapshotIn(t, poolrt.TakeSnapshot(p), p.config.Name); !got.Walked || shape(got) != "l20f80" {
		t.Errorf("%+v", got)
	}
}

// Direct blocks, and memory that the source failed to free, are part of the snapshot.
func TestSnapshotOfMemoryOutsideOfChunks(t *testing.T) {
	p := named(t, "p", func(c *Config) { c.Ladder = directLadder })
	p.mustAlloc(100)
	b := p.mustAlloc(160)
	if got := shape(p.Snapshot().Pools[0]); got != "l100 l160" {
		t.Error(got)
	}
	p.source.onFree = func(int) error { return errNoMemory }
	wantErr(t, "free", freeDirect(p, b), nil)
	got := p.Snapshot().Pools[0]
	if shape(got) != "l100 w160" || got.Stats.Reserved != 260 {
		t.Errorf("%s, %+v", shape(got), got.Stats)
	}
	wantErr(t, "close", p.closeForce(), poolrt.ErrNotReturned)
	if got := shape(p.Snapshot().Pools[0]); got != "w100 w160" {
		t.Error(got)
	}
	p.source.onFree = nil
	wantErr(t, "close", p.closeForce(), nil)
}

// Direct blocks with a pending free are part of the snapshot.
func TestSnapshotOfPendingMemoryOutsideOfChunks(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.Limit, c.Ladder = 350, directLadder })
	b, err := p.ready().AllocOn(s1, 160, 1, 1)
	fatal.If(t, err)
	p.line.use(s1)
	fatal.If(t, p.ready().FreeOnSlow(s1, Foreign, b.Addr, 160))
	got := p.ready().Snapshot().Pools[0]
	if want := (poolrt.PendingFrees{Stream: s1.ID, Device: s1.Device, Blocks: 1, Bytes: 160}); shape(got) != "p160" || !slices.Equal(got.Pending, []poolrt.PendingFrees{want}) {
		t.Errorf("%s, %+v, want %+v", shape(got), got.Pending, want)
	}
}

func TestSnapshotOfPendingFrees(t *testing.T) {
	p := newStreamRig(t, nil)
	blocks := []block{must2(p.allocOn(s1, 10)), must2(p.allocOn(s1, 20)), must2(p.allocOn(s2, 30)), must2(p.allocOn(s1, 5))}
	for _, s := range []Stream{s1, s2} {
		p.line.use(s)
	}
	for i, s := range []Stream{s1, s1, s2} {
		fatal.If(t, p.freeOn(blocks[i], s))
	}
	want := []poolrt.PendingFrees{
		{Stream: s1.ID, Device: s1.Device, Blocks: 2, Bytes: 30}, {Stream: s2.ID, Device: s2.Device, Blocks: 1, Bytes: 30},
	}
	if got := p.ready().Snapshot().Pools[0]; !slices.Equal(got.Pending, want) || got.Stats.Pending != 3 {
		t.Errorf("%+v, want %+v", got.Pending, want)
	}
}

// A chunk that is released during the snapshot is left out, even if another chunk gets its slot.
func TestSnapshotWhileChunksGo(t *testing.T) {
	p := named(t, "p", nil)
	b := p.mustAlloc(50)
	c, slots := p.ready().outline()
	p.mustFree(b)
	p.mustTrim()
	look := func() bool {
		s := survey{size: c.Chunks[0].Size, batch: make([]poolrt.Piece, 0, 4)}
		_, here := p.surveyStep(&s, slots[0], c.Chunks[0].Addr)
		return here
	}
	if look() {
		t.Error("the snapshot has a released chunk")
	}
	p.mustAlloc(60)
	if look() {
		t.Error("the snapshot has another chunk of the slot")
	}
}

// TakeSnapshotNamed selects pools by name.
func TestTakeSnapshotNamed(t *testing.T) {
	p, q, r := named(t, "p", nil), named(t, "q", nil), named(t, "r", nil)
	for i, pool := range []*rig{p, q, r} {
		pool.mustAlloc(uint64(10 * (i + 1)))
	}
	s := poolrt.TakeSnapshotNamed(r.config.Name, "no such pool", p.config.Name)
	if len(s.Pools) != 2 || shape(s.Pools[0]) != "l10f90" || shape(s.Pools[1]) != "l30f70" {
		t.Errorf("%+v", s.Pools)
	}
	if s := poolrt.TakeSnapshotNamed(); len(s.Pools) != 0 || s.Program == "" {
		t.Errorf("of an unknown name: %+v", s)
	}
}

func TestSnapshotsJoin(t *testing.T) {
	p, q := named(t, "p", nil), named(t, "q", nil)
	p.mustAlloc(10)
	q.mustAlloc(20)
	s := poolrt.TakeSnapshot(q, p)
	if len(s.Pools) != 2 || shape(s.Pools[0]) != "l20f80" || shape(s.Pools[1]) != "l10f90" {
		t.Errorf("%+v", s)
	}
}
