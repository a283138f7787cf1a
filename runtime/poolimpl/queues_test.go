package poolimpl

import (
	"sync"
	"testing"
	"time"
)

// A queue that looks unused is not given to another stream if a block is freed on its own stream meanwhile: the other stream would get the block too early.
func TestQueueKeepsItsBlocks(t *testing.T) {
	p := newSharedRig(t, nil)
	b := must2(p.allocOn(s1, 10))
	e := p.ready()
	e.lock()
	e.streams.queueOf(s1, true).leave()
	q := e.streams.queues.unused()
	e.unlock()
	wantErr(t, "free", p.freeOn(b, s1), nil)
	if q == nil || q.begin(s2, driver{}) {
		t.Fatal("a new stream has the block of another one")
	}
	p.deferFree(s2, 10)
	if p.streams.queues.find(s2) == q || q.pending() != 1 {
		t.Errorf("%d blocks are pending in the queue of the first stream", q.pending())
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// spreadingCore notes the streams that AllocOn is called for.
type spreadingCore struct {
	*sharedStreamCore
	on []uint64
}

func (c *spreadingCore) AllocOn(stream, bytes uint64) (slot uint32, off uint64, ok bool) {
	c.on = append(c.on, stream)
	return c.Alloc(bytes, 1)
}

// The slow path, too, lets a core spread the blocks of streams: the first blocks of many streams come from it, one after the other.
func TestSlowPathSpreadsStreams(t *testing.T) {
	p := newSharedRig(t, nil)
	core := &spreadingCore{sharedStreamCore: p.shared}
	e := p.Init(&p.config, core)
	b, err := e.AllocOn(s2, 1, 10, 1)
	wantErr(t, "alloc on", err, nil)
	c, err := e.Alloc(1, 10, 1)
	wantErr(t, "alloc", err, nil)
	if len(core.on) != 2 || core.on[0] != s2.ID || core.on[1] != s2.ID { // before the pool grows and afterwards
		t.Errorf("blocks were allocated for the streams %v, want twice %d", core.on, s2.ID)
	}
	wantErr(t, "free", p.free(block{b.Addr, 10}), nil)
	wantErr(t, "free", p.free(block{c.Addr, 10}), nil)
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// A fence that a caller is about to use is not released, although the caller holds no lock.
func TestFencesArePinned(t *testing.T) {
	p := newSharedRig(t, nil)
	p.deferFree(s1, 10)
	p.ready().Poll()
	e := p.ready()
	q := e.streams.queues.find(s1)
	p.line.completeAll()
	first, holds, _ := q.pinFirst(&e.streams.fences)
	last := q.pinLast(&e.streams.fences)
	p.ready().Poll()
	if !holds || first.fence != last || p.line.released[last] {
		t.Errorf("first %v, last %d, holds %v, released %v", first, last, holds, p.line.released)
	}
	e.streams.fences.unpin(first.fence)
	e.streams.fences.unpin(last)
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// Before a stream is destroyed, a fence is put behind all frees, also those that came after another caller had begun to seal the epoch.
func TestFencesCoverLateFrees(t *testing.T) {
	for _, rig := range []func(testing.TB, func(*Config)) *streamRig{newStreamRig, newSharedRig} {
		p := rig(t, nil)
		p.deferFree(s1, 10)
		late := must2(p.allocOn(s1, 20))
		p.lock()
		q := p.streams.queues.find(s1)
		number, _, _ := q.beginSeal() // as another caller does
		p.streams.calls.Add(1)
		p.unlock()
		wantErr(t, "free", p.freeOn(late, s1), nil)
		var done sync.WaitGroup
		done.Go(func() { p.order.streamEnds(s1) })
		time.Sleep(time.Millisecond)
		fence, err := p.line.Record(s1)
		p.lock()
		q.endSeal(number, must1(t, fence, err))
		p.streams.driver().end()
		p.unlock()
		done.Wait()
		if q.flush(); q.blocks[q.newest].epoch > q.covered() {
			t.Error("the last free has no fence")
		}
		wantErr(t, "Close", p.close(), nil)
		p.ended()
	}
}

// Frees on a stream, when they fill an epoch, also return the blocks that lie in no chunk: their owner may need them.
func TestFreesReturnForeignBlocks(t *testing.T) {
	for _, rig := range []func(testing.TB, func(*Config)) *streamRig{newStreamRig, newSharedRig} {
		p := rig(t, func(c *Config) { c.ChunkSize, c.Limit, c.Ladder = 1000, 3000, directLadder })
		var all []block
		for range 2 * epochSize {
			all = append(all, must2(p.allocOn(s1, 7)))
		}
		direct := must2(p.allocOn(s2, 1500))
		wantErr(t, "free", p.freeOn(direct, s2), nil)
		before := len(p.streams.pendingForeign)
		for _, b := range all {
			wantErr(t, "free", p.freeOn(b, s1), nil)
		}
		if n := len(p.streams.pendingForeign); before != 1 || n != 0 {
			t.Errorf("%d blocks that lie in no chunk are pending, then %d", before, n)
		}
		wantErr(t, "Close", p.close(), nil)
		p.ended()
	}
}
