package runtime

import (
	"sync"
	"testing"
)

// fakeTimeline is a few streams and what is known of their order: each stream has come to a position, has completed up to another, and
// is ordered behind positions of others.
type fakeTimeline struct {
	mu      sync.Mutex
	at      map[Stream]uint64
	done    map[Stream]uint64
	behind  map[Stream]map[Stream]uint64
	marks   []map[Stream]uint64 // what each mark covers
	free    int                 // marks given back
	records int
	fail    error // of the next Record
	// before is called ahead of each call, named as in Timeline, without the lock; its error is the call's.
	before func(call string) error
	gone   map[Mark]bool // marks given back: nobody may ask about them
	wrong  int           // calls about such marks
}

func newTimeline() *fakeTimeline {
	return &fakeTimeline{at: map[Stream]uint64{}, done: map[Stream]uint64{}, behind: map[Stream]map[Stream]uint64{}, marks: make([]map[Stream]uint64, 1), gone: map[Mark]bool{}}
}

// use gives the stream work and returns its position.
func (l *fakeTimeline) use(s Stream) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at[s]++
	return l.at[s]
}

// complete lets the stream run up to a position, and all that it waits for.
func (l *fakeTimeline) complete(s Stream, at uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run(s, at)
}

// completeAll lets all streams run to their ends.
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
	for other, pos := range l.behind[s] {
		l.run(other, pos)
	}
}

// ordered reports whether what comes next on s (nil: on the host) comes behind position at of stream from.
func (l *fakeTimeline) ordered(from Stream, at uint64, s *Stream) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done[from] >= at || s != nil && (*s == from || l.behind[*s][from] >= at)
}

func (l *fakeTimeline) Record(s Stream) (Mark, error) {
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
	for other, pos := range l.behind[s] {
		covers[other] = pos
	}
	covers[s] = l.at[s]
	l.marks = append(l.marks, covers)
	return Mark(len(l.marks) - 1), nil
}

func (l *fakeTimeline) Done(m Mark) (bool, error) {
	if err := l.hook("Done"); err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive(m)
	for s, at := range l.marks[m] {
		if l.done[s] < at {
			return false, nil
		}
	}
	return true, nil
}

func (l *fakeTimeline) Wait(s Stream, m Mark) error {
	if err := l.hook("Wait"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive(m)
	if l.behind[s] == nil {
		l.behind[s] = map[Stream]uint64{}
	}
	for other, at := range l.marks[m] {
		l.behind[s][other] = max(l.behind[s][other], at)
	}
	return nil
}

func (l *fakeTimeline) Sync(m Mark) error {
	if err := l.hook("Sync"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive(m)
	for s, at := range l.marks[m] {
		l.run(s, at)
	}
	return nil
}

func (l *fakeTimeline) Forget(m Mark) {
	_ = l.hook("Forget")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive(m)
	l.gone[m] = true
	l.free++
}

func (l *fakeTimeline) hook(call string) error {
	if l.before == nil {
		return nil
	}
	return l.before(call)
}

// alive notes a call about a mark that was given back.
func (l *fakeTimeline) alive(m Mark) {
	if l.gone[m] {
		l.wrong++
	}
}

// sound checks that all marks went back, and none was asked about afterwards.
func (l *fakeTimeline) sound(t testing.TB) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrong > 0 || l.free != len(l.marks)-1 {
		t.Errorf("%d of %d marks given back, %d calls about such marks", l.free, len(l.marks)-1, l.wrong)
	}
}

// position returns how far the stream has come in being given work.
func (l *fakeTimeline) position(s Stream) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at[s]
}
