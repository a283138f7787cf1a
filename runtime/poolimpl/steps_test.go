package poolimpl_test

import (
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/slabs"
	"github.com/poolgen/poolgen/tests/fatal"
)

// places is a source of addresses without memory, which counts its chunks.
type places struct {
	next   uint64
	chunks int
}

func (s *places) Alloc(size, _ int64) (poolimpl.Chunk, error) {
	c := poolimpl.Chunk{Addr: 1<<40 + s.next, Size: size}
	s.next, s.chunks = s.next+uint64(size)+1<<21, s.chunks+1
	return c, nil
}

func (*places) Free(poolimpl.Chunk) error { return nil }

// train plays sixteen steps of the training of a residual network, each with so many images. It returns how often the pool grew in each step, and the most bytes
// reserved over the most live. Each convolution keeps its output and that of the normalization behind it for the way back, and has a workspace; gradients live until
// the next step.
func train(t *testing.T, core poolimpl.Core, params any, trim *poolimpl.TrimPolicy, images func(step int) int) (growths []int, ratio float64) {
	var p poolimpl.Engine
	var source places
	p.Init(&poolimpl.Config{
		Name: "test.Steps", Allocator: "host", Source: &source, Core: params, Locked: true, ChunkSize: 8 << 20, Granularity: 512, Alignment: 256, Limit: poolrt.NoLimit,
		Oversize: true, Spacing: 1, Trim: trim, Ladder: []poolimpl.Rung{poolimpl.ErrorRung{}},
	}, core)
	live, now, peak := map[uint64]uint64{}, uint64(0), uint64(0)
	take := func(bytes int) uint64 {
		b, err := p.Alloc(1, uint64(bytes), 1)
		fatal.If(t, err)
		live[b.Addr], now = uint64(bytes), now+uint64(bytes)
		peak = max(peak, now)
		return b.Addr
	}
	drop := func(blocks ...uint64) {
		p.Lock()
		defer p.Unlock()
		for _, b := range blocks {
			core.Free(b, live[b])
			now -= live[b]
		}
	}
	var net [][4]int // channels in and out, side, size of the kernel
	in := 64
	for stage, blocks := range []int{3, 4, 6, 3} {
		for width, side := 64<<stage, 56>>stage; blocks > 0; blocks-- {
			net = append(net, [4]int{in, width, side, 1}, [4]int{width, width, side, 3}, [4]int{width, 4 * width, side, 1})
			in = 4 * width
		}
	}
	var gradients []uint64
	for step := range 16 {
		n, before := images(step), source.chunks
		drop(gradients...)
		gradients = nil
		var kept [][]uint64
		for _, l := range net {
			out := 2 * n * l[1] * l[2] * l[2]
			kept = append(kept, []uint64{take(2 * l[0] * l[1] * l[3] * l[3]), take(out), take(out)})
			drop(take(out / 4 * l[3]))
		}
		flow := take(2 * n * in * 49)
		for k, l := range slices.Backward(net) {
			weights := 4 * l[0] * l[1] * l[3] * l[3]
			work, back := take(weights), take(2*n*l[0]*l[2]*l[2])
			gradients = append(gradients, take(weights))
			drop(append(kept[k], flow, work)...)
			flow = back
		}
		drop(flow)
		growths = append(growths, source.chunks-before)
	}
	ratio = float64(p.Stats().PeakReserved) / float64(peak)
	t.Logf("growths %v, ratio %.3f", growths, ratio)
	fatal.If(t, p.CloseForce(func() {}))
	return growths, ratio
}

func equal(int) int        { return 32 }
func varying(step int) int { return 4 + step*37%61 }

// Equal steps do not go on giving back and obtaining the same chunks. Steps that differ give back what does not fit, as long as they go on.
func TestEqualSteps(t *testing.T) {
	params, trim := &heap.Params{Granule: 256, MinSplit: 256, PreferUsed: true, Counters: true}, &poolimpl.TrimPolicy{Growth: true}
	growths, ratio := train(t, new(heap.Core), params, trim, equal)
	if growths[1] < 10 || slices.Max(growths[4:]) > 1 || ratio > 1.06 {
		t.Error("a pool that exchanges 10 chunks in the second step exchanges some later, or holds too much")
	}
	if _, ratio = train(t, new(heap.Core), params, trim, varying); ratio > 1.05 {
		t.Error("the pool holds too much if steps differ")
	}
}

// What size classes cache makes room before the pool grows far beyond what was ever live, also in sharded pools. These grow in later steps where the goroutine comes
// to another processor.
func TestClassesMakeRoom(t *testing.T) {
	defer func() { concurrency = "" }()
	concurrency = "classes" // behind the shards
	params := &classes.Params{Params: heap.Params{Granule: 256, MinSplit: 256, Counters: true}, PerBin: 1 << 63, Bytes: 1 << 63}
	for n := uint64(512); n < 1<<31; n += n / 4 {
		params.Bins = append(params.Bins, n)
	}
	for _, of := range []struct {
		core   func() poolimpl.Core
		params any
		most   float64
	}{
		{func() poolimpl.Core { return new(classes.Core) }, params, 1.3},
		{func() poolimpl.Core { return new(shardedAlone) }, &shards.Params{Behind: params}, 1.4},
		{func() poolimpl.Core { return new(sharded) }, &slabs.Params{Shards: shards.Params{Behind: params}, Bins: []uint64{512, 1 << 10, 2 << 10}, LeastBlocks: 8}, 1.4},
	} {
		growths, ratio := train(t, of.core(), of.params, nil, equal)
		if _, locked := of.core().(*classes.Core); locked && slices.Max(growths[4:]) > 0 {
			t.Error("the pool grows in later steps")
		}
		if ratio > of.most {
			t.Errorf("%T: the pool holds too much", of.core())
		}
		if _, ratio := train(t, of.core(), of.params, nil, varying); ratio > of.most {
			t.Errorf("%T: the pool holds too much if steps differ", of.core())
		}
	}
}
