//go:build !pooltrace

package runtime

// What stands below needs the tag pooltrace, and is described there.

type tracing struct{}

func (*tracing) leaks(_, _ string) []Leak { return nil }

func (*Engine) traceAlloc(uint64, uint64, *Stream) {}
func (*Engine) traceFree(uint64, uint64, *Stream)  {}
func (*Engine) traceSwept()                        {}
func (*Engine) traceNote(EventKind, int64)         {}

func (*Engine) annotateSampled([]Piece, uint64, *siteTable) {}
func (*Engine) lastEvents(*siteTable) []FlightEvent         { return nil }
