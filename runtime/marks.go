package runtime

import (
	"errors"
	"slices"
)

// Marks are the driver's events, which are used again. While one caller asks about a mark with the lock released, another may find that
// nothing is parked behind it any more. So a mark is dropped first, and goes back to the Timeline only when nobody asks about it: until
// then no other stream can get the same one, and comparing marks tells after the call whether the answer is still of use.

// noTimeline is that of a pool that was bound where there are no streams: all work is done before it is asked for.
type noTimeline struct{}

func (noTimeline) Record(Stream) (Mark, error) { return 1, nil }
func (noTimeline) Done(Mark) (bool, error)     { return true, nil }
func (noTimeline) Wait(Stream, Mark) error     { return nil }
func (noTimeline) Sync(Mark) error             { return nil }
func (noTimeline) Forget(Mark)                 {}

// askDriver calls the driver with the lock released. The pool is not closed meanwhile.
func (e *Engine) askDriver(f func(Timeline)) {
	line := e.memory.Timeline
	e.calls++
	defer func() { // also when the driver's side panics
		e.calls--
		e.silent.Broadcast()
	}()
	e.outside(func() { f(line) })
}

// awaitCall waits until another caller has had an answer of the driver. It reports false if nobody is asking.
func (e *Engine) awaitCall() bool {
	if !e.config.Locked || e.calls == 0 {
		return false
	}
	e.silent.Wait()
	return true
}

// record marks what a stream has been given so far.
func (e *Engine) record(s Stream) (m Mark, err error) {
	e.askDriver(func(line Timeline) { m, err = line.Record(s) })
	if err == nil && m == 0 {
		err = errors.New("the driver made no mark")
	}
	return m, err
}

// about asks something about a mark, which stays what it is meanwhile.
func (e *Engine) about(m Mark, f func(Timeline)) {
	e.pinned = append(e.pinned, m)
	defer func() {
		at := slices.Index(e.pinned, m)
		e.pinned = slices.Delete(e.pinned, at, at+1)
	}()
	e.askDriver(f)
}

func (e *Engine) isDone(m Mark) (done bool, err error) {
	e.about(m, func(line Timeline) { done, err = line.Done(m) })
	return done && err == nil, err
}

func (e *Engine) sync(m Mark) (err error) {
	e.about(m, func(line Timeline) { err = line.Sync(m) })
	return err
}

// drop notes that a mark is of no use to the pool any more.
func (e *Engine) drop(m Mark) { e.dropped = append(e.dropped, m) }

// giveMarks gives the dropped marks back that nobody asks about.
func (e *Engine) giveMarks() {
	if len(e.dropped) == 0 {
		return
	}
	var gone, asked []Mark
	for _, m := range e.dropped {
		if slices.Contains(e.pinned, m) {
			asked = append(asked, m)
		} else {
			gone = append(gone, m)
		}
	}
	e.dropped = asked
	if len(gone) == 0 {
		return
	}
	e.askDriver(func(line Timeline) {
		for _, m := range gone {
			line.Forget(m)
		}
	})
}
