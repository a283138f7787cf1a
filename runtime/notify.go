package runtime

import (
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// queueEvent keeps an event until the lock is released. It costs nothing while nobody listens.
func (e *Engine) queueEvent(kind EventKind, bytes int64, err error) {
	if Traced {
		e.traceNote(kind, bytes)
	}
	if registry.Listening() {
		e.figures.events = append(e.figures.events, Event{Pool: e.Name(), Kind: kind, Bytes: bytes, Reserved: e.limits.reserved, Err: err})
	}
}

// meter times calls of the source and the driver. Without one nobody looks at the clock.
type meter struct{ registry.Meter }

// begin returns when a call begins, for end.
func (m meter) begin() time.Time {
	if m.Meter == nil {
		return time.Time{}
	}
	return time.Now()
}

// end counts the call that began then.
func (m meter) end(began time.Time) {
	if m.Meter != nil {
		m.Count(time.Since(began))
	}
}
