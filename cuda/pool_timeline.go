package cuda

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// timeline is the poolimpl.Timeline of a device: fences are events, made once and used again. All pools of a device share it.
// Safe for concurrent use.
type timeline struct {
	site

	mu       sync.Mutex
	spare    []abi.Event
	foreign  map[abi.Event]site // events of other devices, which do not last
	owed     ending             // destroys what is no longer used
	own      abi.Stream         // for what pools do themselves; 0: none yet
	users    int                // pools that are bound to the device
	watchers map[int]func(poolimpl.Stream)
	watched  int    // how many there have been
	machine  uint64 // that all this is of
}

// timelines are those of the devices, made when a pool first needs one.
var timelines struct {
	mu sync.Mutex
	of map[Device]*timeline
}

// timeline returns that of the device.
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

// join counts one more pool, until what it returns is called, once.
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

// renew drops everything if there is another simulated machine: it belonged to the one before. The lock is held.
func (t *timeline) renew() (renewed bool) {
	d, ok := t.drv.(interface{ Machine() uint64 })
	if !ok {
		return false
	}
	machine := d.Machine()
	if machine == t.machine {
		return false
	}
	t.machine, t.spare, t.foreign, t.owed, t.own, t.users = machine, nil, nil, ending{}, 0, 0
	return true
}

// sweep gives back the events and the stream if no pool uses them any more. What the driver does not take is left for the next sweep.
func (t *timeline) sweep() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.renew(); t.users > 0 {
		return nil
	}
	for _, e := range t.spare {
		t.owe(func() error { return t.destroy(e) })
	}
	if s := t.own; s != 0 {
		t.owe(func() error { return check(t.drv.StreamDestroy(t.ctx, s), "StreamDestroy", t.dev, 0) })
	}
	t.spare, t.own = nil, 0
	return t.owed.run()
}

// owe notes something to be destroyed. It is never used again, and it is no error if it is already gone.
func (t *timeline) owe(destroy func() error) {
	t.owed.steps = append(t.owed.steps, func() error {
		err := destroy()
		if e, ok := err.(*Error); ok && e.Code == Result(abi.InvalidHandle) {
			return nil
		}
		return err
	})
}

// clear clears memory of the device that no stream uses.
func (t *timeline) clear(c poolimpl.Chunk) error {
	s, err := t.stream()
	if err != nil {
		return err
	}
	return check(t.drv.MemsetD8Async(t.ctx, abi.Ptr(c.Addr), 0, uint64(c.Size), s), "MemsetD8Async", t.dev, c.Size)
}

// clearOn clears memory of a device in the order of a stream of the program.
func clearOn(s poolimpl.Stream, c poolimpl.Chunk) error {
	return MemsetAsync(DevicePtr(c.Addr), 0, c.Size, Stream{handle: s.Handle, id: s.ID, device: Device(s.Device)})
}

// cleared returns when all memory that clear was called for is clear.
func (t *timeline) cleared() error {
	s, err := t.stream()
	if err != nil {
		return err
	}
	if err := check(t.drv.StreamSynchronize(t.ctx, s), "StreamSynchronize", t.dev, 0); err != nil {
		// The memory goes back to where it came from, so the work must not be left behind.
		return errors.Join(err, check(t.drv.CtxSynchronize(t.ctx), "CtxSynchronize", t.dev, 0))
	}
	return nil
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

// Watch has f called with each stream that [Stream.Close] is about to destroy.
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

// leave tells the pools of the stream's device that the stream ends, or can take no fence for a while: they put a fence behind what was freed on it.
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

// Key names the stream to a pool.
func (s Stream) Key() poolimpl.Stream {
	return poolimpl.Stream{Handle: s.handle, ID: s.id, Device: int32(s.device)}
}
