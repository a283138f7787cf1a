//go:build !pooldebug

package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// Spacing is how far apart blocks lie. Under the tag pooldebug it is 2: a block has as much memory again behind it, for the red zones.
const Spacing = 1

// Generation tells a handle of a block from those of blocks that had its place before. It takes up no room but under the tag pooldebug.
type Generation struct{}

// Leaks lists what is live, by the calls that it was handed out to, the most bytes first. Under the tag pooltrace it is estimated from a sample, see
// [poolrt.SetSampling]; nil without that and the tag pooldebug.
func (e *Engine) Leaks() []poolrt.Leak {
	return e.observed.tracing.leaks(e.name.get(), e.config.unit())
}

// What stands below is called under the tag pooldebug alone, and described there.

// Call is a call of a pool.
type Call struct{}

type debugState struct{}

func (*debugState) init(*Config)         {}
func (*debugState) wasFreed(uint64) bool { return false }
func (*debugState) noteShared(uint64)    {}
func (*debugState) account(*Usage)       {}

func (*debugState) unguardAll()                      {}
func (*Engine) explain(uint64) string                { return "" }
func (*debugState) apart() uint64                    { return 1 }
func (*debugState) sourceSize(n int64) int64         { return n }
func (*debugState) coreChunk(c Chunk, _ int64) Chunk { return c }
func (*debugState) sourceChunk(c Chunk) Chunk        { return c }
func (*Engine) flushQuarantine()                     {}
func (*Engine) endBypass()                           {}
func (*Engine) swept(bool)                           {}
func (*Engine) liveText() string                     { return "" }
func (*Engine) report(*error)                        {}
func (*Engine) leakEvent()                           {}

func (*Engine) beginUse(string) (Call, error) { return Call{}, nil }
func (*Engine) endUse()                       {}
func (*Engine) bypassQuarantine()             {}

// observeAlloc traces a block that is about to be handed out.
func (e *Engine) observeAlloc(_ Call, b Block, bytes uint64, s *Stream) {
	e.observed.tracing.alloc(e, b.Addr, bytes, s)
}

// observeFree traces a free, and frees the block.
func (e *Engine) observeFree(place, bytes uint64, s *Stream) error {
	e.observed.tracing.free(e, place, bytes, s)
	return e.freeBlock(place, bytes, s)
}

// annotate says of pieces when and to whom they were handed out, as far as that was sampled.
func (e *Engine) annotate(pieces []poolrt.Piece, base uint64, sites *trace.Sites) {
	e.observed.tracing.annotate(pieces, base, sites)
}

// Generation does nothing.
func (*Engine) Generation(uint64) Generation { return Generation{} }

// stale does nothing.
func (*Engine) stale(Generation, uint64) error { return nil }

// NoteMark does nothing.
func (*Engine) NoteMark(any) {}

// NoteRelease does nothing.
func (*Engine) NoteRelease(any) {}
