//go:build !pooldebug

package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// Spacing is the factor by which blocks lie apart. With the tag pooldebug it is 2: a block is followed by as much memory again, for the red zones.
const Spacing = 1

// Generation distinguishes a block from earlier and later blocks in its place. Without the tag pooldebug it has size 0.
type Generation struct{}

// Call identifies a call of a pool.
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
func (*debugState) setAsleep(bool)                          {}
func (*debugState) account(*Usage)                          {}
func (*debugState) resetPeak()                              {}
func (*debugState) report(*error)                           {}
func (*debugState) wasFreed(uint64) bool                    { return false }
func (*debugState) mayFind(uint64) error                    { return nil }
func (*debugState) explain(*Engine, uint64) string          { return "" }
func (*debugState) generation(uint64) Generation            { return Generation{} }
func (*debugState) stale(*Engine, Generation, uint64) error { return nil }

// leaks lists the live blocks that were sampled.
func (o *observed) leaks(e *Engine) []poolrt.Leak {
	s := e.generated.Sampling
	if poolrt.Traced {
		s = new(Sampling) // of each pool
	}
	if s == nil {
		return nil
	}
	return s.leaks(&o.samples, e.name.get(), e.generated.unit())
}

// annotate adds to the live blocks among some pieces when they were handed out and by which calls, if that was sampled. It locks the samples once for all pieces.
func (o *observed) annotate(pieces []poolrt.Piece, base uint64, sites *trace.Sites) {
	if o.samples.None() {
		return
	}
	o.samples.Lock()
	defer o.samples.Unlock()
	for i := range pieces {
		p := &pieces[i]
		if p.State != poolrt.PieceLive {
			continue
		}
		if since, stack, ok := o.samples.Block(base + p.Off); ok {
			p.Since, p.Site = since.UnixNano(), sites.Of(stack)
		}
	}
}
