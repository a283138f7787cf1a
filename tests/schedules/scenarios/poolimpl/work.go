//go:build explored

package poolimpl

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// fewWork is a Timeline of a few streams, whose numbers are below fewLines: each has work queued up to a
// position, has done its work up to another, and waits for positions of other streams. All that is one
// number, which each call changes in one step.
type fewWork struct {
	state  atomic.Uint64
	now    lines
	fences []fewFence // by number, less 1
	eager  bool       // work is done as soon as it is queued
	ended  bool       // the driver must not be called any more
}

const fewLines = 3

type lines struct {
	at, done [fewLines]uint64
	after    [fewLines][fewLines]uint64
}

type fewFence struct {
	covers   [fewLines]uint64
	released bool
}

// instant is a position of a stream.
type instant struct {
	on, at uint64
}

// step changes what streams do.
func (w *fewWork) step(what string, f func(s *lines)) {
	w.state.Cell().Update(what, func(explore.Value) explore.Value {
		if w.ended {
			explore.Failf("%s after Close", what)
		}
		f(&w.now)
		v := uint64(len(w.fences))
		for i := range fewLines {
			v = v<<8 | w.now.at[i]<<4 | w.now.done[i]
			for j := range fewLines {
				v = v*11 + w.now.after[i][j]
			}
		}
		return explore.Value{N: v}
	})
}

// fence returns a fence that must not be released.
func (w *fewWork) fence(f Fence) *fewFence {
	fence := &w.fences[f-1]
	if fence.released {
		explore.Failf("fence %d is used after it was released", f)
	}
	return fence
}

// use queues work on a stream, and returns its position.
func (w *fewWork) use(s Stream) (i instant) {
	w.step("work is queued", func(l *lines) {
		l.at[s.ID]++
		if i = (instant{s.ID, l.at[s.ID]}); w.eager {
			l.run(s.ID, i.at)
		}
	})
	return i
}

// complete ends all work of a stream.
func (w *fewWork) complete(s Stream) {
	w.step("work is done", func(l *lines) { l.run(s.ID, l.at[s.ID]) })
}

func (l *lines) run(s, at uint64) {
	if l.done[s] >= at {
		return
	}
	l.done[s] = at
	for other, pos := range l.after[s] {
		l.run(uint64(other), pos)
	}
}

// ordered reports whether the next work on a stream, nil for any, comes after an instant.
func (w *fewWork) ordered(i instant, on *Stream) bool {
	return w.now.done[i.on] >= i.at || on != nil && (on.ID == i.on || w.now.after[on.ID][i.on] >= i.at)
}

func (w *fewWork) Record(s Stream) (f Fence, err error) {
	w.step("driver: Record", func(l *lines) {
		covers := l.after[s.ID]
		covers[s.ID] = l.at[s.ID]
		w.fences = append(w.fences, fewFence{covers: covers})
		f = Fence(len(w.fences))
	})
	return f, nil
}

func (w *fewWork) Done(f Fence) (done bool, err error) {
	w.step("driver: Done", func(l *lines) {
		done = true
		for s, at := range w.fence(f).covers {
			done = done && l.done[s] >= at
		}
	})
	return done, nil
}

func (w *fewWork) Wait(s Stream, f Fence) error {
	w.step("driver: Wait", func(l *lines) {
		for other, at := range w.fence(f).covers {
			l.after[s.ID][other] = max(l.after[s.ID][other], at)
		}
	})
	return nil
}

func (w *fewWork) Sync(f Fence) error {
	w.step("driver: Sync", func(l *lines) {
		for s, at := range w.fence(f).covers {
			l.run(uint64(s), at)
		}
	})
	return nil
}

func (w *fewWork) Release(f Fence) error {
	w.step("driver: Release", func(*lines) { w.fence(f).released = true })
	return nil
}

// unreleased returns the number of fences that are not released.
func (w *fewWork) unreleased() (n int) {
	for _, f := range w.fences {
		if !f.released {
			n++
		}
	}
	return n
}
