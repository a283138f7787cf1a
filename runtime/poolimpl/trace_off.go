//go:build !pooltrace

package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// The rest needs the tag pooltrace; trace_on.go describes it.

type tracing struct{}

func (*tracing) alloc(*Engine, uint64, uint64, *Stream) {}
func (*tracing) free(*Engine, uint64, uint64, *Stream)  {}
func (*tracing) swept(*Engine)                          {}
func (*tracing) event(poolrt.EventKind, int64)          {}

func (*tracing) lastEvents(*trace.Samples, *trace.Sites) []poolrt.FlightEvent { return nil }
