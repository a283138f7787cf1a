package poolrt

import "github.com/poolgen/poolgen/runtime/internal/registry"

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

// OnEvent calls f for every event of every pool, until stop is called. f runs on the goroutine that caused the event, or on one that uses the same pool at that
// time. No lock of a pool is held, so f may use pools. Safe for concurrent use, as f must be.
func OnEvent(f func(Event)) (stop func()) {
	if f == nil {
		return func() {}
	}
	return registry.Listen(func(event any) { f(event.(Event)) })
}
