package poolimpl

import (
	"context"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Sleeper saves the contents of pages to the host, and copies them back to other memory at the same addresses. It is called without the pool's lock, by one
// goroutine of a pool at a time; Backing by any.
type Sleeper interface {
	// Await waits until streams have done their work, or with nil until all devices that may use the pages have.
	Await([]Stream) error
	// Idle reports whether these streams, and all others whose work the driver shows without a wait, have done their work within the given time.
	Idle([]Stream, time.Duration) bool
	// Reserve forgets what was saved, and obtains memory of the host to save so many bytes. What it has obtained when it fails, or when the context ends, stays.
	Reserve(context.Context, int64) error
	// Save begins to copy a batch to the host, within what is reserved, once the last but one is copied. Saved waits for all copies, also after an error of Save.
	Save(Extent) error
	Saved() error
	// Restore begins to copy a batch back, once the last but one is. Restored waits for all copies, also after an error of Restore.
	Restore(Extent) error
	Restored() error
	// Drop returns the memory of the host, except where contents of these pages are saved. After an error the next Drop tries again.
	Drop(except []Extent) error
	// Backing returns the bytes of that memory.
	Backing() int64
}

// SleepPolicy is what the key sleep says.
type SleepPolicy struct {
	Discard bool    // contents: discard
	Release bool    // backing: release
	Staged  bool    // backing: staged
	Batch   int64   // bytes copied between two looks at the context; 0: defaultBatch
	Budget  *Budget // that the memory of the host counts against; nil: none
	Prime   bool    // memory of the host for all pages within the limit is obtained when the pool is opened
}

// AfterStreams makes Sleep wait for these streams only.
func AfterStreams(streams []Stream) poolrt.SleepOption {
	return func(s *registry.Sleep) { s.Streams = streams }
}

// Sleep returns the memory of all pages to the source; blocks and their addresses stay. With contents kept it first copies these to the host. Before that it
// waits for all work on the devices. A free while the pool is asleep needs no stream.
//
// If Sleep fails, the pool is awake and has its contents, unless the error matches [poolrt.ErrNotReturned]: then the pool is asleep, but some pages have memory
// until it wakes. Sleep looks at the context between copies. Any goroutine may call Sleep, unless the pool has no lock. No work may be queued that uses blocks
// until Wake has returned. Cost: a call of the driver for each row of pages and each page, and with contents kept one for each batch.
func (e *Engine) Sleep(ctx context.Context, options ...poolrt.SleepOption) error {
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	how, wrong := e.config.sleepOptions(options)
	if wrong != nil {
		return wrong.of(e, "sleep")
	}
	pages, err := e.mayRest()
	if err != nil {
		return err
	}
	if err := pages.rest(ctx, how); err != nil {
		return err
	}
	return pages.fallAsleep(ctx, poolrt.SleepContents(how.Contents) == poolrt.Keep)
}

func (l *paged) sleeper() Sleeper { return l.Sleeper }

// sleepOptions returns what the options and the pool file say, and what is wrong with it.
func (c *Config) sleepOptions(options []poolrt.SleepOption) (how registry.Sleep, wrong *refusal) {
	how.Contents = uint8(poolrt.Keep)
	if p := c.Sleep; p == nil {
		return how, refuseAs(poolrt.ErrUnsupported, "the pool file has no key sleep")
	} else if p.Discard {
		how.Contents = uint8(poolrt.Discard)
	}
	for _, o := range options {
		if o != nil {
			o(&how)
		}
	}
	if c := poolrt.SleepContents(how.Contents); c != poolrt.Keep && c != poolrt.Discard {
		return how, refuseAs(poolrt.ErrUnsupported, "Contents: %d is neither Keep nor Discard", c)
	}
	return how, nil
}

// mayRest returns the layout of the pool, or why it cannot go to sleep.
func (e *Engine) mayRest() (sleeping, error) {
	if err := e.openLazily(); err != nil && !e.life.closed {
		return nil, e.newError("sleep", err)
	}
	for e.activity.turning && e.activity.waitIdle(request{}) {
	}
	switch {
	case e.life.closed:
		return nil, e.newError("sleep", poolrt.ErrClosed)
	case e.life.sleep.state != awake:
		return nil, e.newError("sleep", poolrt.ErrAsleep)
	}
	if pages := e.memory.sleeping(); pages != nil {
		return pages, nil
	}
	return nil, detailed(e.newError("sleep", poolrt.ErrUnsupported), "allocator %s has no addresses apart from memory", e.memory.Allocator)
}

// rest makes the pool hand out nothing, and waits until neither streams nor other callers use it. Then the state is asleep: frees need no stream. After an error
// the pool is awake. The lock is released meanwhile.
func (l *paged) rest(ctx context.Context, how registry.Sleep) error {
	e := l.e
	e.setSleep(resting)
	defer func() { // also if an event hook panics
		if e.life.sleep.state == resting {
			e.wakeUp()
		}
	}()
	e.clearing.awaitClears() // which may be queuing work
	streams, _ := how.Streams.([]Stream)
	err := ctx.Err()
	if err == nil {
		e.activity.visit(func() { err = l.Sleeper.Await(streams) })
	}
	if err != nil {
		return e.newError("sleep", err)
	}
	if err := e.quiesce("sleep", keepLive); err != nil {
		return err
	}
	if e.life.closed {
		e.streams.queues.resume()
		return e.newError("sleep", poolrt.ErrClosed)
	}
	e.streams.queues.end(e.streams.fences.dropAll)
	e.setSleep(asleep)
	return nil
}

// fallAsleep saves the contents and returns the pages. Until all contents are saved, nothing is lost if that fails. The lock is released meanwhile.
func (l *paged) fallAsleep(ctx context.Context, keep bool) error {
	e := l.e
	e.activity.turning = true
	sure := false // the pool will be asleep
	defer func() {
		e.activity.turning = false
		if !sure {
			e.wakeUp()
		}
		e.activity.wakeIdle()
	}()
	l.flush()
	_, _ = e.shed(e.memory.collect(lastFirst, e.memory.atMost(poolrt.NoLimit))) // what the source refuses is tried again below
	e.life.sleep.still = true
	rows := l.rows()
	if keep {
		var err error
		e.activity.visit(func() { err = l.save(ctx, rows) })
		if err != nil {
			if e.config.Sleep.Release {
				_ = l.dropBacking() // what the driver refuses shows in Stats, and Trim and Close try again
			}
			return e.newError("sleep", err)
		}
	}
	sure, e.life.sleep.saved = true, keep
	if _, err := e.release(poolrt.EventSleep, l.chunks(), func(c Chunk) { e.life.sleep.stuck = append(e.life.sleep.stuck, c) }); err != nil {
		return e.newError("sleep", err)
	}
	return nil
}

// Awake returns nil, or an error that matches [poolrt.ErrAsleep] if the pool is asleep or about to be. op is what the caller wants to do with its memory. The pool
// may fall asleep at any time afterwards. Any goroutine may call Awake, unless the pool has no lock.
func (e *Engine) Awake(op string) error {
	e.lock()
	defer e.unlock()
	if e.life.sleep.state != awake {
		return e.newError(op, poolrt.ErrAsleep)
	}
	return nil
}
