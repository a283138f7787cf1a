package poolrt

import "github.com/poolgen/poolgen/runtime/internal/registry"

// EventKind is the kind of an [Event].
type EventKind uint8

// The kinds of events. EventLeak occurs only in programs built with the tag pooldebug, and EventCorrupt there and at guarded blocks.
const (
	EventGrowth      EventKind = iota // the pool has obtained memory: Bytes
	EventTrim                         // the pool has returned memory: Bytes
	EventSoftLimit                    // Reserved has risen above the soft limit; Bytes is Reserved
	EventFailure                      // an allocation of Bytes has failed, or chunks could not be returned: Err
	EventFallback                     // the pool uses another allocator than the pool file requests
	EventCorrupt                      // memory that is not in use was written to, or used at a guarded block: Err
	EventLeak                         // CloseForce has found Bytes of live blocks, which Err lists
	EventSleep                        // the pool has gone to sleep; Bytes of pages with blocks went back. Those of pages without blocks have an EventTrim before
	EventWake                         // the pool is awake again; Bytes were mapped
	EventReclaim                      // the pool has returned Bytes for another pool of its budget, another process or the memory limit: For
	EventMemoryLimit                  // GovernMemory has limited Go's memory to Bytes; Reserved is what pools hold. There is no Pool
)

// String returns the name of the kind in lower case, such as "growth".
func (k EventKind) String() string {
	names := [...]string{"growth", "trim", "soft limit", "failure", "fallback", "corruption", "leak", "sleep", "wake", "reclaim", "memory limit"}
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// Event is what has happened to a pool outside of the fast path. Sizes are in bytes, or in numbers for a pool of numbered resources.
type Event struct {
	Pool     string    // name of the pool
	Kind     EventKind // what has happened
	Bytes    int64     // as Kind says; 0 where Kind says nothing
	Reserved int64     // what the pool held afterwards
	Err      error     // a *PoolError, or nil where Kind names none
	For      string    // name of the pool, or of the process, that needed the memory; "" where Kind names none
}

// OnEvent calls f for each event of each pool, until stop is called. A nil f gets no events.
//
// f runs on the goroutine that caused the event, or on another that uses the same pool at that time. The pool waits for f, but holds no lock, so f may use pools.
// Several goroutines may call f at once. Events that are being delivered while stop is called may reach f after stop has returned.
//
// If f panics, the other functions still get the event, and then the panic reaches the caller of the pool. The pool can be used, and no block is lost: an allocation
// has given its blocks back, and a call that frees or returns memory has done so. In a pool without a free for one block, the block stays until Reset.
//
// Safe for concurrent use. While no function is registered, an event costs an atomic load.
func OnEvent(f func(Event)) (stop func()) {
	if f == nil {
		return func() {}
	}
	return registry.Listen(func(event any) { f(event.(Event)) })
}
