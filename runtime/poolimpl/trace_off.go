//go:build !pooltrace

package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// The rest needs the tag pooltrace; trace_on.go describes it.

type tracing struct{}

// alloc samples a block in programs built with the tag pooldebug alone: there a pool with the key profile samples all blocks.
func (*tracing) alloc(e *Engine, place, bytes uint64, _ *Stream) {
	if Debug && e.profiles() && !e.borrows(place/e.observed.debug.apart()) {
		samples := &e.observed.samples
		samples.NoteAlloc(place, bytes, 1, samples.Sweeps())
	}
}

func (*tracing) free(*Engine, uint64, uint64, *Stream) {}
func (*tracing) swept(*Engine)                         {}
func (*tracing) event(poolrt.EventKind, int64)         {}

func (*tracing) lastEvents(*trace.Samples, *trace.Sites) []poolrt.FlightEvent { return nil }
