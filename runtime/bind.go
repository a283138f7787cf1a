package runtime

import "errors"

// Binder finds the source of a pool when the pool is first used: only then is it known which device it is to be on, and what works
// there. Package cuda's allocators are Binders.
type Binder interface {
	// Bind finds the device and what works there. It is called with the pool's lock released.
	Bind(Binding) (Bound, error)
}

// Binding is what a pool asks for.
type Binding struct {
	Name   string // of the pool
	Device int    // as OnDevice says; NoDevice: as the pool file says
	Limit  int64  // in force, NoLimit if there is none
	Chunk  int64  // size of the usual chunk
	Paged  bool   // the suballocator can have memory come and go by pages
}

// Inspector reaches memory of a device for the checks of a debug build. It is the Timeline of that device, too.
type Inspector interface {
	Timeline

	// Fill fills memory that nothing is at work with. It does not wait.
	Fill(addr, bytes uint64, value byte) error
	// Read copies from such memory when what Fill was called for is done, and returns when it has.
	Read(dst []byte, addr uint64) error
	// SyncFills returns when what Fill was called for is done.
	SyncFills() error

	// Queue has a stream do chores, behind what it was given so far, and marks the end of them, without waiting. A stream that is being captured, or is gone, is given
	// nothing, and refused. When it fails, none of the chores is under way.
	Queue(Stream, []DeviceOp) (Fence, error)
	// Staging returns memory that chores may copy to, of that many bytes at least, which all slots have.
	Staging(bytes int) ([]byte, error)
	// ReleaseStaging takes a slot back that no chore copies to any more.
	ReleaseStaging(slot []byte)
}

// DeviceOp has memory filled or, with To set, copied there.
type DeviceOp struct {
	Addr, Bytes uint64
	Value       byte
	To          []byte // a part of a slot
}

// Bound is what it gets.
type Bound struct {
	Source      Source
	Allocator   string // in force
	Reason      string // why it is not the one asked for; "" where it is
	Pages       *Pages // addresses for all that the pool may hold, if Binding.Paged; nil: the source has chunks
	Granularity int64  // chunks are multiples of it; 0: as the pool's Config says
	Device      int
	Timeline    Timeline                         // nil where there are no streams
	Zero        func(Chunk) error                // has memory cleared that Go code cannot address, or that the source does not hand out zeroed; nil: nothing to do
	ZeroOn      func(Stream, Chunk) error        // has memory cleared in the order of a stream; set where Zero is, if there are streams
	Zeroed      func() error                     // waits for all that Zero was called for, also after it failed
	Inspector   Inspector                        // under the tag pooldebug, for memory that streams can reach; else nil
	Watch       func(func(Stream)) (stop func()) // has the function called with each stream that is about to end; nil: none does
	Close       func() error                     // gives back what Bind took, once the last chunk is gone; after an error it is called again; nil: nothing
	Driver      any                              // the driver's own pool behind the source, as package cuda knows it; nil: there is none
}

// numbers reports whether the pool hands out numbers, which are given to it by Track.
func (e *Engine) numbers() bool { return e.config.Source == nil && e.config.Binder == nil }

// bind ties the pool to a device, if that has not happened. The lock is released meanwhile; others wait in settle.
func (e *Engine) bind() error {
	for e.activity.binding && e.waitIdle() {
	}
	if e.config.Binder == nil || e.memory.Source != nil || e.life.closed {
		return nil
	}
	e.activity.binding = true
	defer func() {
		e.activity.binding = false
		e.wakeIdle()
	}()
	var got Bound
	var err error
	ask := Binding{Name: e.poolName(), Device: e.life.device, Limit: e.limits.limit, Chunk: e.config.ChunkSize}
	ask.Paged = e.core.paged != nil
	var stop func()
	e.unlocked(func() {
		if got, err = e.config.Binder.Bind(ask); err == nil && got.Watch != nil && e.core.stream != nil && e.config.Locked { // without a lock nobody else may call
			stop = got.Watch(e.streamEnds)
		}
	})
	if err != nil {
		return err
	}
	e.attach(got)
	e.memory.stopWatch = stop
	if got.Reason != "" {
		e.queueEvent(EventFallback, 0, nil)
	}
	return nil
}

// attach makes the memory what the pool's chunks come from.
func (e *Engine) attach(b Bound) {
	if b.Granularity == 0 {
		b.Granularity = e.config.Granularity
	}
	if b.Pages != nil {
		e.reserveRange(b.Pages)
		b.Granularity = b.Pages.Page
	}
	if b.Timeline == nil {
		b.Timeline = noTimeline{}
	}
	e.memory.Bound = b
	e.memory.unit = roundUp(e.config.ChunkSize, b.Granularity)
	e.memory.next = e.memory.unit
}

// unbind gives back what bind took: whoever comes meanwhile finds the pool as it was before, and can bind it again. No chunk may be left. What
// fails is tried again by the next call.
func (e *Engine) unbind() error {
	endings, stop := e.memory.endings, e.memory.stopWatch
	e.memory.endings, e.memory.stopWatch = nil, nil
	if e.config.Binder != nil && e.memory.Source != nil {
		if e.memory.Close != nil {
			endings = append(endings, e.memory.Close)
		}
		e.releaseRange()
		e.attach(Bound{Source: e.config.Source, Allocator: e.config.Allocator})
	}
	if stop == nil && len(endings) == 0 {
		return nil
	}
	var errs []error
	var left []func() error
	e.unlocked(func() {
		if stop != nil {
			stop()
		}
		for _, end := range endings {
			if err := end(); err != nil {
				errs, left = append(errs, err), append(left, end)
			}
		}
	})
	e.memory.endings = append(e.memory.endings, left...)
	return errors.Join(errs...)
}

// streamEnds marks what was freed on a stream while it can still be marked.
func (e *Engine) streamEnds(s Stream) {
	e.lock()
	defer e.unlockAndNotify()
	e.streams.queues.flush()
	for q := e.streams.queues.find(s); q != nil; q = e.streams.queues.find(s) {
		if !q.sealing {
			_ = e.sealEpoch(q)
			return
		}
		if !e.awaitDriver() { // what is being marked may have been freed before the rest
			return
		}
	}
}
