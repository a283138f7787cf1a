package poolimpl_test

import (
	"errors"
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"
	"github.com/poolgen/poolgen/tests/fatal"
)

const (
	rangedBlock = 64
	rangedChunk = 1 << 20
	rangedLimit = 16 << 20
)

// rangedPool is a pool of blocks of 64 bytes in host memory, without generated code.
type rangedPool struct {
	*poolimpl.Engine
	core fixed.Core
	t    *testing.T
}

func newRangedPool(t *testing.T) *rangedPool {
	p := &rangedPool{Engine: new(poolimpl.Engine), t: t}
	p.Init(&poolimpl.Config{
		Name: "test.Ranged", Allocator: "host", Source: poolimpl.Host(), Locked: true, ChunkSize: rangedChunk, Granularity: 4096, Alignment: 16, Limit: rangedLimit,
		Core: &fixed.Params{BlockSize: rangedBlock, ItemBytes: rangedBlock, Ranged: true}, Ladder: []poolimpl.Rung{poolimpl.ErrorRung{}},
	}, &p.core)
	return p
}

func (p *rangedPool) alloc() uint64 {
	b, err := p.Alloc(1, rangedBlock, 1)
	fatal.If(p.t, err)
	*(*uint64)(b.Ptr) = b.Addr
	return b.Addr
}

// fill allocates blocks until the limit is reached.
func (p *rangedPool) fill() (live []uint64) {
	for range rangedLimit / rangedBlock {
		live = append(live, p.alloc())
	}
	if _, err := p.Alloc(1, rangedBlock, 1); !errors.Is(err, poolrt.ErrLimit) {
		p.t.Fatalf("a full pool: %v", err)
	}
	return live
}

// TestLifeInARange: blocks of all chunks lie in one range, chunks go and come at any place, and addresses of chunks that are gone are refused.
func TestLifeInARange(t *testing.T) {
	p := newRangedPool(t)
	live := p.fill()
	if low, high := slices.Min(live), slices.Max(live); high-low != rangedLimit-rangedBlock && poolimpl.RangesReserved() {
		t.Errorf("blocks from %#x to %#x", low, high)
	}
	slices.Sort(live)
	const hole = 2 * rangedChunk / rangedBlock
	gone := live[:2*hole]
	for _, addr := range gone {
		fatal.If(t, p.Free(addr, rangedBlock))
	}
	if n, err := p.Trim(0); n != 4*rangedChunk || err != nil {
		t.Fatalf("Trim = %d, %v", n, err)
	}
	for _, addr := range gone {
		if err := p.Free(addr, rangedBlock); !errors.Is(err, poolrt.ErrForeign) {
			t.Fatalf("second free of %#x: %v", addr, err)
		}
	}
	for range gone {
		p.alloc()
	}
	if n := p.Stats().Reserved; n != rangedLimit {
		t.Errorf("%d bytes are reserved", n)
	}
	fatal.If(t, p.CloseForce(p.core.Close))
}
