package poolimpl

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Binder finds the source of a pool when the pool is first used: only then is its device known, and what the device supports. Package cuda's allocators are
// Binders.
type Binder interface {
	// Bind finds the device and what it supports. It is called with the pool's lock released. If Bind fails and sets Bound.Close, it could not return all that it
	// had obtained: the pool calls Close until Close succeeds.
	Bind(Binding) (Bound, error)
}

// NoDevice is the Device of a pool without the option OnDevice. No device has this number.
const NoDevice = -1 << 31

// Binding is what a pool requires of its source.
type Binding struct {
	Name       string       // of the pool
	Allocator  string       // that is requested
	Allocators []string     // that may be requested: those of the pool file
	Device     int          // set by OnDevice; NoDevice: the one that the pool file names
	Limit      int64        // limit in force, NoLimit if there is none
	Most       int64        // largest limit that may be set, NoLimit if any may
	Chunk      int64        // size of the usual chunk
	Paged      bool         // the suballocator can manage memory that is mapped by pages
	Range      int64        // most bytes of a range of pages that it can manage; 0: any
	Ordered    bool         // each block is allocated and freed in the order of a stream: ordering driver
	Sleep      *SleepPolicy // nil: the pool does not sleep
}

// Inspector reaches memory of a device for the checks of a debug build. It is also the Timeline of that device.
type Inspector interface {
	Timeline

	// Fill fills memory on which no work is pending. It does not wait.
	Fill(addr, bytes uint64, value byte) error
	// Read waits for all Fills, then copies memory on which no work is pending.
	Read(dst []byte, addr uint64) error
	// SyncFills waits for all Fills.
	SyncFills() error

	// Queue queues the operations on a stream, behind all work queued so far, and records a fence behind them. It does not wait. It refuses a stream that is
	// being captured or was destroyed. If Queue fails, none of the operations is under way.
	Queue(Stream, []DeviceOp) (Fence, error)
	// Staging returns memory that operations may copy to, at least so many bytes. All staging memory has the same length.
	Staging(bytes int) ([]byte, error)
	// ReleaseStaging takes back staging memory that no operation copies to any more.
	ReleaseStaging(slot []byte)
	// Staged reports whether staging memory still exists. That of a simulated machine goes with the machine.
	Staged(slot []byte) bool
}

// DeviceOp fills memory or, with To set, copies memory to To.
type DeviceOp struct {
	Addr, Bytes uint64
	Value       byte
	To          []byte // a part of staging memory
}

// Bound is the source that a Binder found, and what it supports.
type Bound struct {
	Source      Source
	Clean       bool         // its memory is zero when it is new
	Streams     StreamSource // the same source, which is called in the order of streams; nil if it cannot be
	Allocator   string       // in force
	Reason      string       // why Allocator is not the requested one; "" if it is
	Pages       Paging       // addresses for the memory of the pool, if Binding.Paged; nil: the source supplies chunks
	Granularity int64        // chunks are multiples of it; 0: Config.Granularity
	Device      int
	Timeline    Timeline                                    // nil where there are no streams
	Zero        func(Chunk) error                           // clears memory that Go code cannot address, or that the source does not supply zeroed; nil: nothing to clear
	ZeroOn      func(Stream, Chunk) error                   // clears memory in the order of a stream; set with Zero, if there are streams
	Zeroed      func() error                                // waits for all that Zero began, even if Zero failed
	Inspector   Inspector                                   // with the tag pooldebug, for memory that streams can reach; else nil
	Watch       func(func(Stream)) (stop func())            // calls the function with each stream before it is destroyed, until stop; nil: streams are not watched
	Behind      func(end uint64, size int64) (Chunk, error) // is Alloc for memory that begins at the end of a chunk, in one piece with it, or ErrApart; nil: chunks lie apart
	Trim        func() error                                // returns what is kept for later work besides chunks, and is obtained again when needed; nil: nothing is kept
	Tidy        func()                                      // frees addresses without memory, where the source reserves them by itself; nil: nothing to free
	Close       func() error                                // returns what Bind obtained, once the last chunk is gone; called again after an error; nil: nothing to return
	Driver      any                                         // the driver's own pool behind the source, in a form that package cuda understands; nil: there is none
}

// bind finds the source of the pool and its device, unless that has happened. The lock is released meanwhile; other callers wait in waitIdle.
func (e *Engine) bind() error {
	for e.activity.binding && e.activity.waitIdle(request{}) {
	}
	if e.config.Binder == nil || e.memory.Source != nil || e.life.closed {
		return nil
	}
	defer e.activity.begin(&e.activity.binding)()
	_ = e.memory.runEndings(&e.activity, nil) // of a Bind that failed
	var got Bound
	var err error
	ask := Binding{Name: e.name.get(), Allocator: e.life.requested(e.config), Allocators: e.config.allocators(), Device: e.life.device}
	ask.Limit, ask.Most, ask.Chunk, ask.Range = e.limits.limit, e.config.maxLimit(), e.memory.chunk, e.config.MaxChunk
	ask.Paged, ask.Ordered, ask.Sleep = e.core.paged != nil, e.core.driver != nil, e.config.Sleep
	var stop func()
	e.unlocked(func() {
		// In a pool without a lock, streamEnds could run beside a call of the user.
		if got, err = e.config.Binder.Bind(ask); err == nil && got.Watch != nil && e.core.stream != nil && e.config.Locked {
			stop = got.Watch(e.order.streamEnds)
		}
	})
	if err != nil {
		if got.Close != nil {
			e.memory.endings = append(e.memory.endings, got.Close)
		}
		if errors.As(err, new(*NoAddresses)) {
			err = &causedBy{poolrt.ErrOutOfMemory, err}
		}
		return err
	}
	e.attach(got)
	e.memory.stopWatch = stop
	if got.Reason != "" {
		e.figures.queueEvent(poolrt.EventFallback, 0, nil)
	}
	return nil
}

// nowhere returns why a pool has no device and never will: it stands for those that are none, and calls that need no device would do nothing.
func (e *Engine) nowhere() error {
	if e.life.device < 0 && e.life.device != NoDevice {
		return e.bind()
	}
	return nil
}

// attach makes b the memory of the pool, which holds no chunk. Queues of streams would call the earlier memory's driver.
func (e *Engine) attach(b Bound) {
	e.streams.queues.stop()
	e.streams.queues.end(e.streams.fences.dropAll)
	if b.Granularity == 0 {
		b.Granularity = e.config.Granularity
	}
	e.memory.layout = chunked{e}
	if b.Pages != nil {
		e.memory.layout = b.Pages.layout(e)
		b.Granularity = b.Pages.PageSize()
	}
	if b.Timeline == nil {
		b.Timeline = noTimeline{}
	}
	e.memory.Bound, e.memory.single = b, e.config.SingleChunk
	e.memory.measure()
}

// unbind returns what bind obtained. A caller that comes meanwhile finds an unbound pool, and can bind it again. The pool has no chunks. The next call of
// unbind tries again what failed.
func (e *Engine) unbind() error {
	stop := e.memory.stopWatch
	e.memory.stopWatch = nil
	if e.config.Binder != nil && e.memory.Source != nil {
		if e.memory.Close != nil {
			e.memory.endings = append(e.memory.endings, e.memory.Close)
		}
		for slot := range e.chunks.all() { // the addresses of a paged pool, without memory
			chunked{e}.evict(slot)
		}
		e.attach(e.config.unbound(e.life.requested(e.config)))
	}
	return e.memory.runEndings(&e.activity, stop)
}

// rebind unbinds a pool that was bound before Open, by a request for its allocator, if the options change what it was bound with.
func (e *Engine) rebind(s registry.Settings) error {
	bound := e.settings()
	s.Name, s.Prime, s.Meter = bound.Name, bound.Prime, bound.Meter
	if s == bound || e.config.Binder == nil || e.memory.Source == nil {
		return nil
	}
	if e.limits.reserved > 0 {
		return poolrt.ErrLive
	}
	defer e.activity.begin(&e.activity.binding)() // nobody may open the pool meanwhile
	return e.unbind()
}

// unbound is the memory of a pool without a Binder, and of others until they are bound.
func (c *Config) unbound(allocator string) Bound {
	_, clean := c.Source.(hostSource)
	return Bound{Source: c.Source, Clean: clean, Allocator: allocator}
}

// Requested returns the allocator that WithAllocator has chosen, or else the one that the pool file names first.
func (e *Engine) Requested() string {
	e.lock()
	defer e.unlock()
	return e.life.requested(e.config)
}

// Effective returns the allocator in force and, if that is not the requested one, the reason.
func (e *Engine) Effective() (allocator, reason string) {
	e.lock()
	defer e.unlockAndNotify()
	if err := e.bind(); err != nil {
		return "", err.Error()
	}
	return e.memory.Allocator, e.memory.Reason
}
