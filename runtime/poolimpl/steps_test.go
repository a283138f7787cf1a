package poolimpl_test

import (
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/tests/fatal"
)

// places is a source of addresses that have no memory, and counts the chunks that it supplies.
type places struct {
	next   uint64
	chunks int
}

func (s *places) Alloc(size, _ int64) (poolimpl.Chunk, error) {
	at := s.next + 1<<40
	s.next, s.chunks = s.next+uint64(size)+1<<21, s.chunks+1
	return poolimpl.Chunk{Addr: at, Size: size}, nil
}

func (*places) Free(poolimpl.Chunk) error { return nil }

// training is a pool that serves the requests of a residual network in training, as frameworks make them.
type training struct {
	*testing.T
	poolimpl.Engine
	core poolimpl.Core
	from places
	live map[poolimpl.Block]uint64
}

type closingCore interface {
	poolimpl.Core
	Close()
}

func newTraining(t *testing.T, core closingCore, params any, trim *poolimpl.TrimPolicy) *training {
	p := &training{T: t, core: core, live: map[poolimpl.Block]uint64{}}
	p.Init(&poolimpl.Config{
		Name: "test.Steps", Allocator: "host", Source: &p.from, Core: params, Locked: true, ChunkSize: 8 << 20, Granularity: 512, Alignment: 256, Limit: poolrt.NoLimit,
		Oversize: true, Spacing: 1, Trim: trim, Ladder: []poolimpl.Rung{poolimpl.ErrorRung{}},
	}, core)
	t.Cleanup(func() { fatal.If(t, p.CloseForce(core.Close)) })
	return p
}

func (p *training) take(bytes int) poolimpl.Block {
	b, err := p.Alloc(1, uint64(bytes), 1)
	fatal.If(p, err)
	p.live[b] = uint64(bytes)
	return b
}

func (p *training) drop(blocks ...poolimpl.Block) {
	for _, b := range blocks {
		p.Lock()
		_, v := p.core.Free(b.Addr, p.live[b])
		p.Unlock()
		if v > poolimpl.Emptied {
			p.Fatalf("free: %d", v)
		}
		delete(p.live, b)
	}
}

// step runs the network forward and backward, on so many images, and returns the number of growths. Each convolution keeps its output and that of the
// normalization behind it for the way back, and has a workspace. grads are of the step before: they are freed when the forward pass has ended.
func (p *training) step(images int, grads *[]poolimpl.Block) (growths int) {
	before := p.from.chunks
	type layer struct{ in, out, side, kernel int }
	var net []layer
	in := 64
	for stage, blocks := range []int{3, 4, 6, 3} {
		width, side := 64<<stage, 56>>stage
		for range blocks {
			net = append(net, layer{in, width, side, 1}, layer{width, width, side, 3}, layer{width, 4 * width, side, 1})
			in = 4 * width
		}
	}
	p.drop(*grads...)
	*grads = nil
	var kept [][]poolimpl.Block
	for _, l := range net {
		bytes := 2 * images * l.out * l.side * l.side
		weights := p.take(2 * l.in * l.out * l.kernel * l.kernel)
		out, norm := p.take(bytes), p.take(bytes)
		p.drop(p.take(bytes / 4 * l.kernel))
		kept = append(kept, []poolimpl.Block{weights, out, norm})
	}
	flow := p.take(2 * images * in * 49)
	for k := len(net) - 1; k >= 0; k-- {
		l := net[k]
		work := p.take(4 * l.in * l.out * l.kernel * l.kernel)
		back := p.take(2 * images * l.in * l.side * l.side)
		*grads = append(*grads, p.take(4*l.in*l.out*l.kernel*l.kernel))
		p.drop(flow, work)
		p.drop(kept[k]...)
		flow = back
	}
	p.drop(flow)
	return p.from.chunks - before
}

// play runs steps, and returns the growths of each, and the most bytes reserved over the most live.
func (p *training) play(images func(step int) int) (growths []int, ratio float64) {
	var grads []poolimpl.Block
	for k := range 16 {
		growths = append(growths, p.step(images(k), &grads))
	}
	s := p.Stats()
	ratio = float64(s.PeakReserved) / float64(s.PeakBytes)
	p.Logf("growths %v, ratio %.3f", growths, ratio)
	return growths, ratio
}

func equal(int) int        { return 32 }
func varying(step int) int { return 4 + step*37%61 }

// expect fails if a step after the first four has grown the pool more than once, or if the pool has reserved more than so many times the live bytes.
func (p *training) expect(growths []int, ratio, most float64) {
	p.Helper()
	if ratio > most || slices.Max(growths[4:]) > 1 {
		p.Errorf("growths %v, ratio %.3f; want %.3f at most", growths, ratio, most)
	}
}

func newTrimming(t *testing.T) *training {
	params := &heap.Params{Granule: 256, MinSplit: 256, PreferUsed: true, Counters: true}
	return newTraining(t, new(heap.Core), params, &poolimpl.TrimPolicy{Growth: true})
}

// Equal steps do not go on giving back and obtaining the same chunks. Steps that differ give back what does not fit, as long as they go on.
func TestEqualStepsSettle(t *testing.T) {
	p := newTrimming(t)
	growths, ratio := p.play(equal)
	p.expect(growths, ratio, 1.06)
	if growths[1] < 10 {
		t.Errorf("growths %v: the load does not test this", growths)
	}
	p = newTrimming(t)
	if _, ratio = p.play(varying); ratio > 1.05 {
		t.Errorf("steps that differ: ratio %.3f", ratio)
	}
}

// What size classes cache makes room before the pool grows far beyond what was ever live.
func TestClassesYield(t *testing.T) {
	params := &classes.Params{Params: heap.Params{Granule: 256, MinSplit: 256, Counters: true}, PerBin: 1 << 63, Bytes: 1 << 63}
	for n := uint64(512); n < 1<<31; n += n / 4 {
		params.Bins = append(params.Bins, n)
	}
	p := newTraining(t, new(classes.Core), params, nil)
	growths, ratio := p.play(equal)
	p.expect(growths, ratio, 1.3)
	p = newTraining(t, new(classes.Core), params, nil)
	if _, ratio = p.play(varying); ratio > 1.3 {
		t.Errorf("steps that differ: ratio %.3f", ratio)
	}
}
