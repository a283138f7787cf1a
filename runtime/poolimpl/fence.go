package poolimpl

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// Stream names a stream of a device. The driver gives each stream a number that is never used again, and the engine compares these numbers: the handle of a
// destroyed stream is soon given to another. Package cuda makes Streams.
type Stream struct {
	Handle uintptr
	ID     uint64
	Device int32
}

// Fence is a point in the work of a stream: an event of the driver. 0 is none.
//
// The driver's events are used again. While one caller waits for an answer about a fence with the lock released, another may find that nothing is pending
// behind the fence any more. So the engine first drops a fence and releases it when no caller uses it. Until then no other stream gets the same event, so
// comparing fences after the call tells whether the answer still matters.
type Fence uint64

// Passed is the fence of a stream without work. Record may return it. No event stands behind it, so it may be that of many epochs and streams at once.
const Passed = ^Fence(0)

// Timeline asks the driver about the order of work. Package cuda has one for each device. The engine calls it with the pool's lock released, so several
// goroutines may call each method at once.
type Timeline interface {
	// Record makes a fence behind the work queued on the stream so far. If the stream was destroyed, the fence covers all work that it may have left running. A
	// fence that comes with an error is no use: the pool releases it.
	Record(Stream) (Fence, error)
	// Done reports whether the work up to the fence has completed, without waiting.
	Done(Fence) (bool, error)
	// Wait makes all later work of the stream wait for the fence. Wait itself does not wait.
	Wait(Stream, Fence) error
	// Sync waits until the work up to the fence has completed.
	Sync(Fence) error
	// Release returns the fence to the driver. It must not be used again. After an error, the pool calls Release again.
	Release(Fence) error
}

// noTimeline is the Timeline of a pool without streams: all work has completed.
type noTimeline struct{}

func (noTimeline) Record(Stream) (Fence, error) { return 1, nil }
func (noTimeline) Done(Fence) (bool, error)     { return true, nil }
func (noTimeline) Wait(Stream, Fence) error     { return nil }
func (noTimeline) Sync(Fence) error             { return nil }
func (noTimeline) Release(Fence) error          { return nil }

// driver is the way of a caller to the driver. The driver is called with all locks released.
type driver struct {
	streams *streams
	line    Timeline
	meter   meter
	held    *poolLock // the lock that the caller holds, which is e.mu; nil: none
}

// driver returns the driver for a caller that holds e.mu.
func (s *streams) driver() driver { return driver{s, s.memory.Timeline, s.memory.meter, s.lock} }

// unlocked returns the driver for a caller that holds no lock.
func (d driver) unlocked() driver {
	d.held = nil
	return d
}

// call calls the driver. The pool is not closed meanwhile.
func (d driver) call(f func(Timeline)) {
	d.streams.calls.Add(1)
	defer d.end() // also if the driver's side panics
	d.held.unlocked(func() { f(d.line) })
}

// end ends call, and wakes the callers in awaitDriver.
func (d driver) end() {
	s := d.streams
	s.calls.Add(-1)
	switch {
	case s.sleepers.Load() == 0:
	case d.held != nil:
		s.answered.Broadcast()
	default:
		s.lock.lock()
		defer s.lock.unlock()
		s.answered.Broadcast()
	}
}

// awaitDriver waits until a call of the driver by another caller has ended. It reports false if there is none.
func (s *streams) awaitDriver() bool {
	if s.answered.L == nil {
		return false
	}
	s.sleepers.Add(1) // before the look at calls: who ends a call looks at sleepers afterwards
	defer s.sleepers.Add(-1)
	if s.calls.Load() == 0 {
		return false
	}
	s.answered.Wait()
	return true
}

// record makes a fence behind the work queued on a stream so far.
func (d driver) record(on Stream) (fence Fence, err error) {
	d.call(func(line Timeline) {
		defer d.meter.end(d.meter.begin())
		fence, err = line.Record(on)
	})
	switch {
	case err != nil && fence != 0:
		d.streams.fences.drop(fence)
		fence = 0
	case err == nil && fence == 0:
		err = errors.New("the driver recorded no event")
	}
	return fence, err
}

// with calls f with a fence, which is not released meanwhile. It does nothing for [Passed].
func (d driver) with(fence Fence, f func(Timeline, Fence) error) (err error) {
	if fence == Passed {
		return nil
	}
	d.streams.fences.pin(fence)
	defer d.streams.fences.unpin(fence)
	d.call(func(line Timeline) {
		defer d.meter.end(d.meter.begin())
		err = f(line, fence)
	})
	return err
}

// isDone reports whether a stream has passed a fence.
func (d driver) isDone(fence Fence) (done bool, err error) {
	if fence == Passed {
		return true, nil
	}
	err = d.with(fence, func(line Timeline, fence Fence) (err error) {
		done, err = line.Done(fence)
		return err
	})
	return done && err == nil, err
}

// release releases the dropped fences that no caller uses, and those that the driver refused to release before. The error is that of the driver.
func (d driver) release() (err error) {
	unused := d.streams.fences.take()
	if len(unused) == 0 {
		return nil
	}
	var refused []Fence
	d.call(func(line Timeline) {
		for _, fence := range unused {
			if failed := line.Release(fence); failed != nil {
				refused, err = append(refused, fence), errors.Join(err, failed)
			}
		}
	})
	d.streams.fences.refuse(refused)
	return err
}

// fences are the fences that callers use without a lock, and those that the pool does not need any more. A fence may be among both; it is released when no
// caller uses it. The fences have a lock of their own, since callers with and without e.mu use them: no other lock is taken while it is held.
type fences struct {
	mu             sync.Mutex
	inUse, dropped []Fence
	unreturned     []Fence     // fences that the driver refused to release
	any            atomic.Bool // there are some of dropped or unreturned; without them, take needs no lock
}

// pin prevents a fence from being released until unpin.
func (f *fences) pin(fence Fence) {
	if fence == Passed {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inUse = append(f.inUse, fence)
}

func (f *fences) unpin(fence Fence) {
	if fence == Passed {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.Index(f.inUse, fence)
	f.inUse = slices.Delete(f.inUse, at, at+1)
}

func (f *fences) unpinAll(fences []Fence) {
	for _, fence := range fences {
		f.unpin(fence)
	}
}

// drop notes that the pool does not need a fence any more. driver.release releases it.
func (f *fences) drop(fence Fence) {
	if fence == Passed {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropped = append(f.dropped, fence)
	f.any.Store(true)
}

// dropAll drops the fences of sealed epochs.
func (f *fences) dropAll(sealed []epoch) {
	for _, epoch := range sealed {
		f.drop(epoch.fence)
	}
}

// take removes the fences that can be released, and returns them.
func (f *fences) take() (unused []Fence) {
	if !f.any.Load() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	unused, f.unreturned = f.unreturned, nil
	f.dropped = slices.DeleteFunc(f.dropped, func(fence Fence) bool {
		if slices.Contains(f.inUse, fence) {
			return false
		}
		unused = append(unused, fence)
		return true
	})
	f.any.Store(len(f.dropped) > 0)
	return unused
}

// refuse notes fences that the driver did not release.
func (f *fences) refuse(refused []Fence) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unreturned = append(f.unreturned, refused...)
	f.any.Store(len(f.dropped)+len(f.unreturned) > 0)
}

// notReleased returns the number of fences that the driver refused to release.
func (f *fences) notReleased() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.unreturned)
}
