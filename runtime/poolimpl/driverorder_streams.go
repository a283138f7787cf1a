package poolimpl

import (
	"slices"
	"sync"
	"sync/atomic"
)

// mostStreams is the number of streams that a pool with ordering driver remembers.
const mostStreams = 64

// freedOn remembers the streams on which a pool with ordering driver has freed blocks: all of them up to mostStreams. A further one takes the place of one on which
// nothing was freed lately. It is safe for concurrent use. A stream that it knows costs a search without a lock, and mostly no write.
type freedOn struct {
	streams [mostStreams]freedStream // a stream is at its place, or behind it where no place in between is empty
	mu      sync.Mutex               // of those who change streams
	hand    int                      // the place to look at next for one to forget
}

// freedStream is the place of a stream.
type freedStream struct {
	id     atomic.Uint64 // of the stream
	lately atomic.Bool   // a block was freed on the stream since hand has passed it
	stream atomic.Pointer[Stream]
}

// noted reports whether a stream with the number is at its place, and was noted lately. Mostly it is. It is inlined.
func (f *freedOn) noted(id uint64) bool {
	at := &f.streams[id%mostStreams]
	return at.id.Load() == id && at.lately.Load()
}

// note remembers a stream.
//
//go:noinline
func (f *freedOn) note(s Stream) {
	at, known := f.find(s)
	switch {
	case !known:
		f.add(s)
	case !f.streams[at].lately.Load():
		f.streams[at].lately.Store(true)
	}
}

// find returns the place of a stream or, if it is not known, the empty place for it; mostStreams if there is none.
func (f *freedOn) find(s Stream) (at int, known bool) {
	for i := range mostStreams {
		at = int((s.ID + uint64(i)) % mostStreams)
		switch p := f.streams[at].stream.Load(); {
		case p == nil:
			return at, false
		case *p == s:
			return at, true
		}
	}
	return mostStreams, false
}

// add remembers a stream that is not known. Like the hand of a clock, it passes those on which blocks were freed lately once.
func (f *freedOn) add(s Stream) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, known := f.find(s)
	if known { // another caller was faster
		return
	}
	for at == mostStreams {
		if !f.streams[f.hand].lately.Swap(false) {
			at = f.hand
		}
		f.hand = (f.hand + 1) % mostStreams
	}
	f.streams[at].stream.Store(&s)
	f.streams[at].id.Store(s.ID)
	f.streams[at].lately.Store(true)
}

// list lists the streams.
func (f *freedOn) list() (all []Stream) {
	for i := range f.streams {
		if p := f.streams[i].stream.Load(); p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// fencesOf are fences on streams, for a caller that waits without a lock.
type fencesOf struct {
	line   Timeline
	fences *fences // where fences go that could not be released
	list   []Fence
}

// record adds a fence behind the work of each of the streams. It returns the last failure of the driver; such a stream gets none.
func (f *fencesOf) record(streams []Stream) (failed error) {
	for _, s := range streams {
		fence, err := f.line.Record(s)
		if err == nil {
			f.list = append(f.list, fence)
			continue
		}
		failed = err
		if fence != 0 {
			f.give(fence)
		}
	}
	return failed
}

// drop drops the fences that streams have passed, or of which the driver does not say. It reports whether there was one.
func (f *fencesOf) drop() bool {
	before := len(f.list)
	f.list = slices.DeleteFunc(f.list, func(fence Fence) bool {
		done, err := f.line.Done(fence)
		if !done && err == nil {
			return false
		}
		f.give(fence)
		return true
	})
	return len(f.list) < before
}

// release drops all fences.
func (f *fencesOf) release() {
	for _, fence := range f.list {
		f.give(fence)
	}
	f.list = nil
}

// give returns a fence to the driver, now or later.
func (f *fencesOf) give(fence Fence) {
	if f.line.Release(fence) != nil {
		f.fences.refuse([]Fence{fence})
	}
}
