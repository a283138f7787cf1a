package poolimpl

import (
	"sync"
	"testing"
)

// fakeTimeline is a few streams and their order: each stream has work queued up to a position, has completed its work up to another, and
// is ordered after positions of other streams.
type fakeTimeline struct {
	mu      sync.Mutex
	at      map[Stream]uint64
	done    map[Stream]uint64
	after   map[Stream]map[Stream]uint64
	fences  []map[Stream]uint64 // what each fence covers
	free    int                 // number of fences released
	records int
	fail    error // of the next Record
	// failFence is the error of the next Record, which makes a fence all the same.
	failFence error
	// before is called without the lock at the start of each method, with the name of the method, which returns its error.
	before   func(call string) error
	passes   bool           // Record returns Passed for a stream without work
	released map[Fence]bool // released fences, which must not be used any more
	wrong    int            // calls with a released fence
}

func newTimeline() *fakeTimeline {
	return &fakeTimeline{at: map[Stream]uint64{}, done: map[Stream]uint64{}, after: map[Stream]map[Stream]uint64{}, fences: make([]map[Stream]uint64, 1), released: map[Fence]bool{}}
}

// use gives the stream work and returns its position.
func (l *fakeTimeline) use(s Stream) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at[s]++
	return l.at[s]
}

// complete completes the stream's work up to a position, and all work that it waits for.
func (l *fakeTimeline) complete(s Stream, at uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run(s, at)
}

// completeAll completes the work of all streams.
func (l *fakeTimeline) completeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s, at := range l.at {
		l.run(s, at)
	}
}

func (l *fakeTimeline) run(s Stream, at uint64) {
	if l.done[s] >= at {
		return
	}
	l.done[s] = at
	for other, pos := range l.after[s] {
		l.run(other, pos)
	}
}

// ordered reports whether the next work on s (nil: on the host) is ordered after position at of stream from.
func (l *fakeTimeline) ordered(from Stream, at uint64, s *Stream) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done[from] >= at || s != nil && (*s == from || l.after[*s][from] >= at)
}

func (l *fakeTimeline) Record(s Stream) (Fence, error) {
	if err := l.hook("Record"); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fail; err != nil {
		l.fail = nil
		return 0, err
	}
	l.records++
	covers := map[Stream]uint64{}
	for other, pos := range l.after[s] {
		covers[other] = pos
	}
	covers[s] = l.at[s]
	if l.passes && l.failFence == nil && l.completed(covers) {
		return Passed, nil
	}
	l.fences = append(l.fences, covers)
	err := l.failFence
	l.failFence = nil
	return Fence(len(l.fences) - 1), err
}

func (l *fakeTimeline) Done(fence Fence) (bool, error) {
	if err := l.hook("Done"); err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive(fence)
	return l.completed(l.fences[fence]), nil
}

// completed reports whether the work that a fence covers is done.
func (l *fakeTimeline) completed(covers map[Stream]uint64) bool {
	for s, at := range covers {
		if l.done[s] < at {
			return false
		}
	}
	return true
}

func (l *fakeTimeline) Wait(s Stream, fence Fence) error {
	if err := l.hook("Wait"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive(fence)
	if l.after[s] == nil {
		l.after[s] = map[Stream]uint64{}
	}
	for other, at := range l.fences[fence] {
		l.after[s][other] = max(l.after[s][other], at)
	}
	return nil
}

func (l *fakeTimeline) Sync(fence Fence) error {
	if err := l.hook("Sync"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive(fence)
	for s, at := range l.fences[fence] {
		l.run(s, at)
	}
	return nil
}

func (l *fakeTimeline) Release(fence Fence) error {
	if err := l.hook("Release"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive(fence)
	l.released[fence] = true
	l.free++
	return nil
}

func (l *fakeTimeline) hook(call string) error {
	if l.before == nil {
		return nil
	}
	return l.before(call)
}

// alive counts a call with a released fence.
func (l *fakeTimeline) alive(fence Fence) {
	if l.released[fence] {
		l.wrong++
	}
}

// sound checks that all fences were released, and none was used afterwards.
func (l *fakeTimeline) sound(t testing.TB) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrong > 0 || l.free != len(l.fences)-1 {
		t.Errorf("%d of %d fences released, %d calls with released fences", l.free, len(l.fences)-1, l.wrong)
	}
}

// position returns the position of the last work queued on the stream.
func (l *fakeTimeline) position(s Stream) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at[s]
}
