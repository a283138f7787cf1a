package poolimpl

import "testing"

// farCore is a fake core in which each call comes from another processor: Alloc finds nothing, and Steal always finds an empty chunk.
type farCore struct {
	sharedCore
	steals int
	*testing.T
}

func (c *farCore) Alloc(_, _ uint64) (uint32, uint64, bool) { return 0, 0, false }

func (c *farCore) AllocAny(bytes, align uint64) (uint32, uint64, bool) {
	c.searches++
	return c.sharedCore.Alloc(bytes, align)
}

func (c *farCore) Steal() bool {
	if c.steals++; c.steals > 10 {
		c.Fatal("Steal is called again and again")
	}
	return true
}

// A caller may run on another processor at each step of an allocation: the chunk that a step brings to its processor is no use to the next step. The
// allocation finds the block all the same, and reserves no more than it needs.
func TestProcessorChanges(t *testing.T) {
	core := &farCore{T: t}
	e := new(Engine)
	e.Init(&Config{
		Name: "test.Shared", Source: &fakeSource{t: t}, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1, Limit: 1000,
		Ladder: []Rung{ErrorRung{}},
	}, core)
	for range 2 {
		_, err := e.Alloc(1, 50, 1)
		wantErr(t, "alloc", err, nil)
	}
	if s := e.Stats(); s.Reserved != 100 || core.searches < 2 {
		t.Errorf("%d bytes reserved, %d searches of the whole pool", s.Reserved, core.searches)
	}
}
