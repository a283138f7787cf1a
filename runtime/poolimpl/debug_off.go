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

// Call is a call of a pool.
type Call struct{}

// The rest is called under the tag pooldebug alone, and described there, save for the methods of observed.

type debugState struct{}

func (*debugState) init(*Config) {}

func (*debugState) beginUse(*Engine, string) (Call, error) { return Call{}, nil }
func (*debugState) endUse(*Engine)                         {}
func (*debugState) bypassQuarantine(*Engine)               {}
func (*debugState) flushQuarantine(*Engine)                {}
func (*debugState) endBypass()                             {}

func (*debugState) apart() uint64                    { return 1 }
func (*debugState) placed(addr, n uint64) Chunk      { return Chunk{Addr: addr, Size: int64(n)} }
func (*debugState) sourceSize(n int64) int64         { return n }
func (*debugState) coreChunk(c Chunk, _ int64) Chunk { return c }
func (*debugState) sourceChunk(c Chunk) Chunk        { return c }

func (*debugState) noteMark(any)                            {}
func (*debugState) noteRelease(any)                         {}
func (*debugState) noteShared(uint64)                       {}
func (*debugState) swept(*Engine, bool)                     {}
func (*debugState) unguardAll()                             {}
func (*debugState) account(*Usage)                          {}
func (*debugState) report(*error)                           {}
func (*debugState) wasFreed(uint64) bool                    { return false }
func (*debugState) explain(*Engine, uint64) string          { return "" }
func (*debugState) generation(uint64) Generation            { return Generation{} }
func (*debugState) stale(*Engine, Generation, uint64) error { return nil }

// alloc traces a block that is about to be handed out.
func (o *observed) alloc(e *Engine, _ Call, b foundBlock, bytes uint64, s *Stream) {
	o.tracing.alloc(e, b.Addr, bytes, s)
}

// free traces a free, and frees the block.
func (o *observed) free(e *Engine, _ Call, place, bytes uint64, s *Stream) error {
	o.tracing.free(e, place, bytes, s)
	return e.freeBlock(place, bytes, s)
}

// leaks lists what is live, as far as it was sampled.
func (o *observed) leaks(pool, unit string) []poolrt.Leak { return o.tracing.leaks(pool, unit) }

// annotate says of pieces when and to whom they were handed out, as far as that was sampled.
func (o *observed) annotate(pieces []poolrt.Piece, base uint64, sites *trace.Sites) {
	o.tracing.annotate(pieces, base, sites)
}
