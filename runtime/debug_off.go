//go:build !pooldebug

package runtime

import "unsafe"

// Debug reports whether the program was built with the tag pooldebug, by which pools watch their blocks: see docs/debugging.md. What
// depends on it is gone from programs built without, as the compiler drops what a constant decides, before it counts what a function costs.
const Debug = false

// Spread is how far apart blocks lie. Under the tag pooldebug it is 2: a block has as much memory again behind it, for the red zones.
const Spread = 1

// Ticket tells a handle of a block from those of blocks that had its place before. It takes up no room but under the tag pooldebug.
type Ticket struct{}

// Leaks lists what is live, by the calls that it was handed out to, the most bytes first. Under the tag pooltrace it is reckoned from a sample, see
// [SetSampling]; nil without that and the tag pooldebug.
func (e *Engine) Leaks() []Leak { return e.tracing.leaks(e.label(), e.unit()) }

// What stands below is called under the tag pooldebug alone, and described there.

// Turn is a call of a pool.
type Turn struct{}

type watching struct{}

func (*watching) knew(uint64) bool { return false }
func (*watching) lent(uint64)      {}
func (*watching) account(*Usage)   {}

func (*Engine) unsettled()                   {}
func (*Engine) explain(uint64) string        { return "" }
func (*Engine) apart() uint64                { return 1 }
func (*Engine) spreadSize(n int64) int64     { return n }
func (*Engine) taken(c Chunk, _ int64) Chunk { return c }
func (*Engine) given(c Chunk) Chunk          { return c }
func (*Engine) rush()                        {}
func (*Engine) relax()                       {}
func (*Engine) swept(bool)                   {}
func (*Engine) liveText() string             { return "" }
func (*Engine) report(*error)                {}
func (*Engine) leakEvent()                   {}

// Watch does nothing.
func (*Engine) Watch(_, _ uint64) {}

// Enter does nothing.
func (*Engine) Enter(string) (Turn, error) { return Turn{}, nil }

// Leave does nothing.
func (*Engine) Leave() {}

// Rush does nothing.
func (*Engine) Rush() {}

// Relax does nothing.
func (*Engine) Relax() {}

// Handed traces a block that is about to be handed out.
func (e *Engine) Handed(_ Turn, place uint64, _ unsafe.Pointer, bytes uint64, s *Stream) {
	e.traceAlloc(place, bytes, s)
}

// Leaving traces a free that is about to be tried.
func (e *Engine) Leaving(_ Turn, place, bytes uint64, s *Stream, _ func() error) (bool, error) {
	e.traceFree(place, bytes, s)
	return false, nil
}

// sightings says of pieces when and to whom they were handed out, as far as that was sampled.
func (e *Engine) sightings(pieces []Piece, base uint64, sites *siteTable) {
	e.sampledSightings(pieces, base, sites)
}

// Ticket does nothing.
func (*Engine) Ticket(uint64) Ticket { return Ticket{} }

// Stale does nothing.
func (*Engine) Stale(Ticket, uint64) error { return nil }

// Marked does nothing.
func (*Engine) Marked(any) {}

// Releasing does nothing.
func (*Engine) Releasing(any) {}
