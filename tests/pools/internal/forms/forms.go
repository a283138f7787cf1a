// Package forms has the pools of tests/pools/debugging/pools whose blocks are freed one by one, all as pools of bytes, for the tests of the tags pooldebug and
// pooltrace.
package forms

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Size is the length of a block.
const Size = 40

// Pool is a pool of any form.
type Pool struct {
	whole
	Name  string
	Alloc func() ([]byte, error)
	Free  func([]byte) error
}

// whole is what all pools have in common.
type whole interface {
	poolrt.Watched
	poolrt.Snapshots
	Close() error
	CloseForce() error
}

// All returns new pools.
func All() []Pool {
	return []Pool{
		items("none", new(pools.AlonePool)), items("mutex", new(pools.ItemPool)), items("sharded", new(pools.StrictPool)),
		items("zeroed", new(pools.ZeroedPool)),
		spans("heap none", new(pools.SinglePool)), spans("heap mutex", new(pools.HeapPool)), spans("heap sharded", new(pools.ShardPool)),
		spans("binned", new(pools.BinnedPool)), spans("classes", new(pools.ClassedPool)), spans("ring", new(pools.RingPool)),
		spans("direct", new(pools.DirectPool)), spans("cleared", new(pools.ClearPool)),
	}
}

func items(name string, p interface {
	whole
	Alloc() (*[Size]byte, error)
	Free(*[Size]byte) error
}) Pool {
	return Pool{p, name, func() ([]byte, error) { // in this file, because reports name the file of the call
		b, err := p.Alloc()
		return rig.BytesOf(b), err
	}, func(b []byte) error { return p.Free(rig.ItemOf[[Size]byte](b)) }}
}

func spans(name string, p interface {
	whole
	Alloc(n int) ([]byte, error)
	Free([]byte) error
}) Pool {
	return Pool{p, name, func() ([]byte, error) { return p.Alloc(Size) }, p.Free}
}

// Take allocates a block.
func (p Pool) Take(t testing.TB) []byte {
	t.Helper()
	b, err := p.Alloc()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Each runs a test with each of them.
func Each(t *testing.T, f func(t *testing.T, p Pool)) {
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) { f(t, p) })
	}
}
