package poolimpl

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Binder finds the source of a pool when the pool is first used: only then is it known which device it is to be on, and what works
// there. Package cuda's allocators are Binders.
type Binder interface {
	// Bind finds the device and what works there. It is called with the pool's lock released.
	Bind(Binding) (Bound, error)
}

// NoDevice is the Device of a pool without the option OnDevice. It is the number of no device.
const NoDevice = -1 << 31

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
	// Read waits for all Fills, and copies from such memory.
	Read(dst []byte, addr uint64) error
	// SyncFills waits for all Fills.
	SyncFills() error

	// Queue has a stream do the operations, behind what it was given so far, and makes a fence behind them, without waiting. A stream that is being captured or
	// is gone is given nothing, and refused. When Queue fails, none of the operations is under way.
	Queue(Stream, []DeviceOp) (Fence, error)
	// Staging returns memory that operations may copy to, of that many bytes at least. All such slots have the same length.
	Staging(bytes int) ([]byte, error)
	// ReleaseStaging takes a slot back that no operation copies to any more.
	ReleaseStaging(slot []byte)
}

// DeviceOp fills memory or, with To set, copies it there.
type DeviceOp struct {
	Addr, Bytes uint64
	Value       byte
	To          []byte // a part of a slot
}

// Bound is what a pool gets.
type Bound struct {
	Source      Source
	Allocator   string // in force
	Reason      string // why it is not the one asked for; "" where it is
	Pages       *Pages // addresses for all that the pool may hold, if Binding.Paged; nil: the source has chunks
	Granularity int64  // chunks are multiples of it; 0: as the pool's Config says
	Device      int
	Timeline    Timeline                         // nil where there are no streams
	Zero        func(Chunk) error                // clears memory that Go code cannot address, or that the source does not hand out zeroed; nil: nothing to do
	ZeroOn      func(Stream, Chunk) error        // clears memory in the order of a stream; set where Zero is, if there are streams
	Zeroed      func() error                     // waits for all that Zero was called for, also after it failed
	Inspector   Inspector                        // under the tag pooldebug, for memory that streams can reach; else nil
	Watch       func(func(Stream)) (stop func()) // calls the function with each stream that is about to end, until stop; nil: none does
	Close       func() error                     // gives back what Bind took, once the last chunk is gone; after an error it is called again; nil: nothing
	Driver      any                              // the driver's own pool behind the source, as package cuda knows it; nil: there is none
}

// bind ties the pool to a device, if that has not happened. The lock is released meanwhile; others wait in waitIdle.
func (e *Engine) bind() error {
	for e.activity.binding && e.waitIdle(request{}) {
	}
	if e.config.Binder == nil || e.memory.Source != nil || e.life.closed {
		return nil
	}
	e.activity.binding = true
	defer func() {
		e.activity.binding = false
		e.activity.wakeIdle()
	}()
	var got Bound
	var err error
	ask := Binding{Name: e.name.get(), Device: e.life.device, Limit: e.limits.limit, Chunk: e.config.ChunkSize}
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
		e.queueEvent(poolrt.EventFallback, 0, nil)
	}
	return nil
}

// attach makes the memory what the pool's chunks come from.
func (e *Engine) attach(b Bound) {
	if b.Granularity == 0 {
		b.Granularity = e.config.Granularity
	}
	e.memory.layout = chunked{e}
	if b.Pages != nil {
		e.memory.layout = newPaged(e, b.Pages)
		b.Granularity = b.Pages.Page
	}
	if b.Timeline == nil {
		b.Timeline = noTimeline{}
	}
	e.memory.Bound = b
	e.memory.unit = roundUp(e.config.ChunkSize, b.Granularity)
	e.memory.next = e.memory.unit
}

// unbind gives back what bind took. Whoever comes meanwhile finds the pool as it was before, and can bind it again. No chunk may be left. The next call tries again
// what fails.
func (e *Engine) unbind() error {
	endings, stop := e.memory.endings, e.memory.stopWatch
	e.memory.endings, e.memory.stopWatch = nil, nil
	if e.config.Binder != nil && e.memory.Source != nil {
		if e.memory.Close != nil {
			endings = append(endings, e.memory.Close)
		}
		for slot := range e.chunks.all() { // addresses without memory
			chunked{e}.evict(slot)
		}
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

// rebind unbinds a pool that was bound because somebody asked for its allocator, if the options are about where it is bound.
func (e *Engine) rebind(s registry.Settings) error {
	if s.Device == e.life.device && s.Limit == e.limits.limit || e.config.Binder == nil || e.memory.Source == nil {
		return nil
	}
	if e.limits.reserved > 0 {
		return poolrt.ErrLive
	}
	e.activity.binding = true // nobody may open the pool meanwhile
	defer func() {
		e.activity.binding = false
		e.activity.wakeIdle()
	}()
	return e.unbind()
}

// streamEnds seals what was freed on a stream while the stream can still be asked for a fence.
func (e *Engine) streamEnds(s Stream) {
	e.lock()
	defer e.unlockAndNotify()
	queues := &e.streams.queues
	queues.flush()
	for q := queues.find(s); q != nil; q = queues.find(s) {
		if !q.sealing {
			_ = e.streams.sealEpoch(q)
			return
		}
		if !e.streams.awaitDriver() { // what is being sealed may have been freed before the rest
			return
		}
	}
}

// Requested returns the allocator that the pool file asks for.
func (e *Engine) Requested() string { return e.config.Allocator }

// Effective returns the allocator in force and, where it is not the one asked for, why.
func (e *Engine) Effective() (allocator, reason string) {
	e.lock()
	defer e.unlockAndNotify()
	if err := e.bind(); err != nil {
		return "", err.Error()
	}
	return e.memory.Allocator, e.memory.Reason
}
