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
	e.askDriver(func(line Timeline) {
		defer e.meter.end(e.meter.begin())
		m, err = line.Record(s)
	})
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
	e.askDriver(func(line Timeline) {
		defer e.meter.end(e.meter.begin())
		f(line)
	})
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

// marked is something that is over once a stream has passed a mark.
type marked interface{ behind() Mark }

// markedAt returns where the one with a mark is, -1 if it is over.
func markedAt[T marked](list []T, m Mark) int {
	return slices.IndexFunc(list, func(x T) bool { return x.behind() == m })
}

// retireMarked asks about the mark of each in a list, and has those ended that are over. It returns how many frees that were, as end says.
func retireMarked[T marked](e *Engine, list *[]T, end func(at int) (frees int)) (retired int, err error) {
	for i := 0; i < len(*list); {
		m := (*list)[i].behind()
		done, failed := e.isDone(m)
		at := markedAt(*list, m)
		switch {
		case at < 0: // another caller has seen to it meanwhile
		case done:
			retired += end(at)
			i = at
		default:
			i = at + 1
			if err == nil {
				err = failed
			}
		}
	}
	return retired, err
}
