package cuda

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// timeline is the poolimpl.Timeline of a device. Its fences are events, which are reused. All pools of a device share it. It
// is safe for concurrent use.
type timeline struct {
	site

	using    sync.RWMutex // held for reading while own is in use, and for writing while trim destroys own; locked before mu
	mu       sync.Mutex
	spare    []abi.Event
	once     map[abi.Event]site // events that are not reused: those of other devices, and those that could not be recorded
	owed     ending             // destroys what is no longer used
	own      abi.Stream         // stream for the pools' own work; 0: none yet
	users    int                // pools that are bound to the device
	watchers map[int]func(poolimpl.Stream)
	watched  int         // number of events so far
	machine  uint64      // simulated machine of these events
	clearing atomic.Bool // memory may be in use by clear, as no wait for it has succeeded
}

// timelines are the timelines of the devices, made on first use.
var timelines struct {
	mu sync.Mutex
	of map[Device]*timeline
}

// timeline returns the timeline of the device.
func (s site) timeline() *timeline {
	timelines.mu.Lock()
	defer timelines.mu.Unlock()
	t := timelines.of[s.dev]
	if t == nil {
		t = &timeline{site: s, watchers: map[int]func(poolimpl.Stream){}}
		if timelines.of == nil {
			timelines.of = map[Device]*timeline{}
		}
		timelines.of[s.dev] = t
	}
	return t
}

// join counts one more pool, until the function that it returns is called, once.
func (t *timeline) join() (leave func() error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.renew()
	t.users++
	machine := t.machine
	return func() error {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.renew(); machine == t.machine {
			t.users--
		}
		return nil
	}
}

// renew drops everything if there is another simulated machine, because it belonged to the earlier one. The caller holds the lock.
func (t *timeline) renew() (renewed bool) {
	machine := t.simulated()
	if machine == t.machine {
		return false
	}
	t.clearing.Store(false)
	t.machine, t.spare, t.once, t.owed, t.own, t.users = machine, nil, nil, ending{}, 0, 0
	return true
}

// sweep destroys the events and the stream if no pool uses them any more, and what could not be destroyed before. The next sweep retries what fails.
func (t *timeline) sweep() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.renew(); t.users > 0 {
		_ = t.owed.run()
		return nil
	}
	return t.drop()
}

// drop destroys the events and the stream that are kept for later work. The caller holds the lock.
func (t *timeline) drop() error {
	for _, e := range t.spare {
		t.owe(func() error { return t.destroy(e) })
	}
	if s := t.own; s != 0 {
		t.owe(func() error { return check(t.drv.StreamDestroy(t.ctx, s), "StreamDestroy", t.dev, 0) })
	}
	t.spare, t.own = nil, 0
	return t.owed.run()
}

// trim drops what is kept for later work, once the work of pools on the stream is done. Pools that need it make it again. While a stream is
// being captured, trim does nothing: a wait would invalidate the capture.
func (t *timeline) trim() error {
	if captures.under.Load() != 0 {
		return nil
	}
	t.using.Lock()
	defer t.using.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.renew(); t.own != 0 {
		if err := t.wait(t.own); err != nil {
			return err
		}
	}
	return t.drop()
}

// owe notes something to be destroyed, which is never used again. The caller holds the lock.
func (t *timeline) owe(destroy func() error) {
	t.owed.steps = append(t.owed.steps, func() error { return unlessGone(destroy()) })
}

// end destroys something that is never used again, now or in a later sweep.
func (t *timeline) end(destroy func() error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.renew()
	t.owe(destroy)
	_ = t.owed.run()
}

// unlessGone returns the error of destroying something, nil if it was gone already.
func unlessGone(err error) error {
	if e, ok := err.(*Error); ok && e.Code == Result(abi.InvalidHandle) {
		return nil
	}
	return err
}

// clear clears memory of the device that no stream uses.
func (t *timeline) clear(c poolimpl.Chunk) error {
	return t.onOwn(func(s abi.Stream) error {
		return check(t.drv.MemsetD8Async(t.ctx, abi.Ptr(c.Addr), 0, uint64(c.Size), s), "MemsetD8Async", t.dev, c.Size)
	})
}

// clearOn clears memory of a device in the order of a stream of the program.
func clearOn(s poolimpl.Stream, c poolimpl.Chunk) error {
	return MemsetAsync(DevicePtr(c.Addr), 0, c.Size, Stream{handle: s.Handle, id: s.ID, device: Device(s.Device)})
}

// cleared waits until all memory that clear was called for is clear.
func (t *timeline) cleared() error { return t.onOwn(t.wait) }

// wait waits for the stream of the pools' own work.
func (t *timeline) wait(s abi.Stream) error {
	err := check(t.drv.StreamSynchronize(t.ctx, s), "StreamSynchronize", t.dev, 0)
	if err == nil {
		t.clearing.Store(false)
		return nil
	}
	// The memory is returned to its source, so the work must be done before.
	failed := check(t.drv.CtxSynchronize(t.ctx), "CtxSynchronize", t.dev, 0)
	t.clearing.Store(failed != nil)
	return errors.Join(err, failed)
}

// clearedSource is a source whose memory is not returned while the device may still be clearing it.
type clearedSource struct {
	poolimpl.Source
	line *timeline
}

func (s clearedSource) Free(c poolimpl.Chunk) error {
	if err := s.line.waitCleared(); err != nil {
		return err
	}
	return s.Source.Free(c)
}

// waitCleared waits until the device is not clearing memory. It is inlined.
func (t *timeline) waitCleared() error {
	if t.clearing.Load() {
		return t.waitClearing()
	}
	return nil
}

//go:noinline
func (t *timeline) waitClearing() error {
	if err := t.cleared(); err != nil && t.clearing.Load() {
		return err
	}
	return nil
}

// onOwn calls f with the stream for the pools' own work, which exists until f returns.
func (t *timeline) onOwn(f func(abi.Stream) error) error {
	t.using.RLock()
	defer t.using.RUnlock()
	s, err := t.stream()
	if err != nil {
		return err
	}
	return f(s)
}

// stream returns the stream for the pools' own work. It does not wait for the work of other streams.
func (t *timeline) stream() (abi.Stream, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.renew(); t.own != 0 {
		return t.own, nil
	}
	s, r := t.drv.StreamCreate(t.ctx, abi.StreamNonBlocking, 0)
	if r != abi.Success {
		return 0, check(r, "StreamCreate", t.dev, 0)
	}
	t.own = s
	return s, nil
}

// event returns an unused event of a device.
func (t *timeline) event(at site) (abi.Event, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.renew()
	if n := len(t.spare); n > 0 && at.dev == t.dev {
		e := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return e, nil
	}
	e, r := at.drv.EventCreate(at.ctx, abi.EventDisableTiming)
	if r != abi.Success {
		return 0, check(r, "EventCreate", at.dev, 0)
	}
	return e, nil
}

// Watch makes [Stream.Close] call f with each stream that it is about to destroy.
func (t *timeline) Watch(f func(poolimpl.Stream)) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watched++
	id := t.watched
	t.watchers[id] = f
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watchers, id)
	}
}

// leave tells the pools of the stream's device that the stream ends, or cannot record a fence for a while: they record a fence after the frees on it.
func (s Stream) leave() {
	timelines.mu.Lock()
	t := timelines.of[s.device]
	timelines.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	watchers := slices.Collect(maps.Values(t.watchers))
	t.mu.Unlock()
	for _, f := range watchers {
		f(s.Key())
	}
}

// Key returns the key of the stream in pools.
func (s Stream) Key() poolimpl.Stream {
	return poolimpl.Stream{Handle: s.handle, ID: s.id, Device: int32(s.device)}
}
