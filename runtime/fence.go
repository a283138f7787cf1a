package runtime

import (
	"errors"
	"slices"
)

// Marks are the driver's events, which are used again. While one caller asks about a mark with the lock released, another may find that
// nothing is pending behind it any more. So a mark is dropped first, and goes back to the Timeline only when nobody asks about it: until
// then no other stream can get the same one, and comparing marks tells after the call whether the answer is still of use.

// noTimeline is that of a pool that was bound where there are no streams: all work is done before it is asked for.
type noTimeline struct{}

func (noTimeline) Record(Stream) (Fence, error) { return 1, nil }
func (noTimeline) Done(Fence) (bool, error)     { return true, nil }
func (noTimeline) Wait(Stream, Fence) error     { return nil }
func (noTimeline) Sync(Fence) error             { return nil }
func (noTimeline) Release(Fence)                {}

// callDriver calls the driver with the lock released. The pool is not closed meanwhile.
func (e *Engine) callDriver(f func(Timeline)) {
	line := e.memory.Timeline
	e.streams.calls++
	defer func() { // also when the driver's side panics
		e.streams.calls--
		e.streams.answered.Broadcast()
	}()
	e.unlocked(func() { f(line) })
}

// awaitDriver waits until another caller has had an answer of the driver. It reports false if nobody is asking.
func (e *Engine) awaitDriver() bool {
	if !e.config.Locked || e.streams.calls == 0 {
		return false
	}
	e.streams.answered.Wait()
	return true
}

// recordFence marks what a stream has been given so far.
func (e *Engine) recordFence(s Stream) (fence Fence, err error) {
	e.callDriver(func(line Timeline) {
		defer e.figures.meter.end(e.figures.meter.begin())
		fence, err = line.Record(s)
	})
	if err == nil && fence == 0 {
		err = errors.New("the driver made no mark")
	}
	return fence, err
}

// about asks something about a mark, which stays what it is meanwhile.
func (e *Engine) about(fence Fence, f func(Timeline)) {
	e.streams.inUse = append(e.streams.inUse, fence)
	defer func() {
		at := slices.Index(e.streams.inUse, fence)
		e.streams.inUse = slices.Delete(e.streams.inUse, at, at+1)
	}()
	e.callDriver(func(line Timeline) {
		defer e.figures.meter.end(e.figures.meter.begin())
		f(line)
	})
}

func (e *Engine) isDone(fence Fence) (done bool, err error) {
	e.about(fence, func(line Timeline) { done, err = line.Done(fence) })
	return done && err == nil, err
}

func (e *Engine) sync(fence Fence) (err error) {
	e.about(fence, func(line Timeline) { err = line.Sync(fence) })
	return err
}

// dropFence notes that a mark is of no use to the pool any more.
func (e *Engine) dropFence(fence Fence) { e.streams.release = append(e.streams.release, fence) }

// releaseFences gives the dropped marks back that nobody asks about.
func (e *Engine) releaseFences() {
	if len(e.streams.release) == 0 {
		return
	}
	var unused, asked []Fence
	for _, fence := range e.streams.release {
		if slices.Contains(e.streams.inUse, fence) {
			asked = append(asked, fence)
		} else {
			unused = append(unused, fence)
		}
	}
	e.streams.release = asked
	if len(unused) == 0 {
		return
	}
	e.callDriver(func(line Timeline) {
		for _, fence := range unused {
			line.Release(fence)
		}
	})
}

// fenced is something that is over once a stream has passed a mark.
type fenced interface{ until() Fence }

// fencedAt returns where the one with a mark is, -1 if it is over.
func fencedAt[T fenced](list []T, fence Fence) int {
	return slices.IndexFunc(list, func(x T) bool { return x.until() == fence })
}

// reclaimFenced asks about the mark of each in a list, and has those ended that are over. It returns how many frees that were, as end says.
func reclaimFenced[T fenced](e *Engine, list *[]T, end func(at int) (frees int)) (reclaimed int, err error) {
	for i := 0; i < len(*list); {
		fence := (*list)[i].until()
		done, failed := e.isDone(fence)
		at := fencedAt(*list, fence)
		switch {
		case at < 0: // another caller has seen to it meanwhile
		case done:
			reclaimed += end(at)
			i = at
		default:
			i = at + 1
			if err == nil {
				err = failed
			}
		}
	}
	return reclaimed, err
}
