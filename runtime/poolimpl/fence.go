package poolimpl

import (
	"errors"
	"slices"
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

// callDriver calls the driver with the lock released. The pool is not closed meanwhile.
func (s *streams) callDriver(f func(Timeline)) {
	line := s.memory.Timeline
	s.calls++
	defer func() { // also if the driver's side panics
		s.calls--
		s.answered.Broadcast()
	}()
	s.lock.unlocked(func() { f(line) })
}

// awaitDriver waits until a call of the driver by another caller has ended. It reports false if there is none.
func (s *streams) awaitDriver() bool {
	if s.answered.L == nil || s.calls == 0 {
		return false
	}
	s.answered.Wait()
	return true
}

// recordFence makes a fence behind the work queued on a stream so far.
func (s *streams) recordFence(on Stream) (fence Fence, err error) {
	s.callDriver(func(line Timeline) {
		defer s.memory.meter.end(s.memory.meter.begin())
		fence, err = line.Record(on)
	})
	switch {
	case err != nil && fence != 0:
		s.dropFence(fence)
	case err == nil && fence == 0:
		err = errors.New("the driver recorded no event")
	}
	return fence, err
}

// pin prevents fences from being released until unpin.
func (s *streams) pin(fences ...Fence) { s.inUse = append(s.inUse, fences...) }

func (s *streams) unpin(fences ...Fence) {
	for _, fence := range fences {
		at := slices.Index(s.inUse, fence)
		s.inUse = slices.Delete(s.inUse, at, at+1)
	}
}

// withFence calls f with a fence, which is not released meanwhile.
func (s *streams) withFence(fence Fence, f func(Timeline, Fence) error) (err error) {
	s.pin(fence)
	defer s.unpin(fence)
	s.callDriver(func(line Timeline) {
		defer s.memory.meter.end(s.memory.meter.begin())
		err = f(line, fence)
	})
	return err
}

// isDone reports whether a stream has passed a fence.
func (s *streams) isDone(fence Fence) (done bool, err error) {
	err = s.withFence(fence, func(line Timeline, fence Fence) (err error) {
		done, err = line.Done(fence)
		return err
	})
	return done && err == nil, err
}

// dropFence notes that the pool does not need a fence any more. releaseFences releases it.
func (s *streams) dropFence(fence Fence) { s.release = append(s.release, fence) }

// dropFences drops the fences of sealed epochs.
func (s *streams) dropFences(sealed []epoch) {
	for _, epoch := range sealed {
		s.dropFence(epoch.fence)
	}
}

// releaseFences releases the dropped fences that no caller uses, and those that the driver refused to release before. The error is that of the driver.
func (s *streams) releaseFences() (err error) {
	if len(s.release)+len(s.unreturned) == 0 {
		return nil
	}
	unused := s.unreturned
	var asked []Fence
	for _, fence := range s.release {
		if slices.Contains(s.inUse, fence) {
			asked = append(asked, fence)
		} else {
			unused = append(unused, fence)
		}
	}
	s.release, s.unreturned = asked, nil
	if len(unused) == 0 {
		return nil
	}
	var refused []Fence
	s.callDriver(func(line Timeline) {
		for _, fence := range unused {
			if failed := line.Release(fence); failed != nil {
				refused, err = append(refused, fence), errors.Join(err, failed)
			}
		}
	})
	s.unreturned = append(s.unreturned, refused...)
	return err
}
