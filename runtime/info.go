package runtime

import (
	"sync"
	"time"
)

// Info describes the pool for whoever asks.
func (e *Engine) Info() PoolInfo {
	if e.figures.published != nil {
		return e.figures.published.get()
	}
	if Debug {
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlock()
	return e.describe()
}

// describe is Info under the lock.
func (e *Engine) describe() PoolInfo {
	c := e.config
	i := PoolInfo{
		Name: e.Name(), Allocator: e.memory.Allocator, Requested: c.Allocator, Reason: e.memory.Reason,
		Suballocator: c.Suballocator, AllAtOnce: c.Uncounted, Fit: c.Fit, Concurrency: "mutex", Ordering: c.Ordering, Device: -1, Unit: e.unit(),
		ItemSize: c.ItemSize, ChunkSize: e.memory.unit, Budget: c.Budget.info(), Stats: e.stats(), Seen: time.Now(),
	}
	switch {
	case !c.Locked:
		i.Concurrency = "none"
	case e.core.shared != nil:
		i.Concurrency = "sharded"
	}
	if e.memory.Timeline != (noTimeline{}) {
		i.Device = e.memory.Device
	}
	return i
}

// published is what others may know of a pool without a lock.
type published struct {
	mu    sync.Mutex
	info  PoolInfo
	calls int64 // of the slow path since
}

func (s *published) get() PoolInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// publish renews what others may know of the pool.
func (e *Engine) publish() {
	info := e.describe()
	e.figures.published.calls = 0
	e.figures.published.mu.Lock()
	defer e.figures.published.mu.Unlock()
	e.figures.published.info = info
}

// chunksPerCall is how many chunks each call of the slow path pays a look at.
const chunksPerCall = 8

// publishDue does so once the calls of the slow path since the last time have paid for the look at all chunks that it takes.
func (e *Engine) publishDue() {
	if e.figures.published == nil {
		return
	}
	if e.figures.published.calls++; e.figures.published.calls*chunksPerCall >= e.limits.chunks {
		e.publish()
	}
}
