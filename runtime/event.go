package runtime

import (
	"slices"
	"sync"
	"sync/atomic"
)

// EventKind names what happened to a pool.
type EventKind uint8

// The events of a pool.
const (
	EventGrowth    EventKind = iota // a chunk was obtained: Bytes of it
	EventTrim                       // chunks were returned: Bytes of them
	EventSoftLimit                  // Reserved rose above the soft limit, to Bytes
	EventFailure                    // an allocation of Bytes, or returning chunks, failed with Err
	EventFallback                   // another allocator than the one asked for is in force
	EventCorrupt                    // someone wrote to memory that is not in use, as Err says; with the tag pooldebug
	EventLeak                       // CloseForce found live blocks of that many Bytes, which Err lists; with the tag pooldebug
)

// String returns the event's name in lower case.
func (k EventKind) String() string {
	names := [...]string{"growth", "trim", "soft limit", "failure", "fallback", "corruption", "leak"}
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// Event is something that happened to a pool, off its fast path.
type Event struct {
	Pool     string
	Kind     EventKind
	Bytes    int64
	Reserved int64 // bytes the pool held afterwards
	Err      error
}

// hooks is the list of functions to call, replaced as a whole on each change.
var hooks struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*func(Event)]
}

// OnEvent calls f for every event of every pool, until stop is called. f runs on the goroutine that caused the event, or on one that uses the same pool at that
// time. No lock of a pool is held, so f may use pools. Safe for concurrent use, as f must be.
func OnEvent(f func(Event)) (stop func()) {
	if f == nil {
		return func() {}
	}
	hook := &f
	change(func(l []*func(Event)) []*func(Event) { return append(slices.Clone(l), hook) })
	return func() {
		change(func(l []*func(Event)) []*func(Event) {
			return slices.DeleteFunc(slices.Clone(l), func(h *func(Event)) bool { return h == hook })
		})
	}
}

func change(f func([]*func(Event)) []*func(Event)) {
	hooks.mu.Lock()
	defer hooks.mu.Unlock()
	var old []*func(Event)
	if l := hooks.list.Load(); l != nil {
		old = *l
	}
	l := f(old)
	hooks.list.Store(&l)
}

func send(events []Event) {
	if len(events) == 0 {
		return
	}
	for _, hook := range *hooks.list.Load() {
		for _, ev := range events {
			(*hook)(ev)
		}
	}
}
