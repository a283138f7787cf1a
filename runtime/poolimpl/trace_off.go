//go:build !pooltrace

package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// What stands below needs the tag pooltrace, and is described there.

type tracing struct{}

func (*tracing) leaks(_, _ string) []poolrt.Leak { return nil }

func (*Engine) traceAlloc(uint64, uint64, *Stream) {}
func (*Engine) traceFree(uint64, uint64, *Stream)  {}
func (*Engine) traceSwept()                        {}
func (*Engine) traceNote(poolrt.EventKind, int64)  {}

func (*Engine) annotateSampled([]poolrt.Piece, uint64, *siteTable) {}
func (*Engine) lastEvents(*siteTable) []poolrt.FlightEvent         { return nil }
