//go:build explored

package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// Cases returns the programs to explore.
func Cases(name string) []explore.Case {
	params := &strict.Params{
		BlockSize: blockSize, ItemBytes: itemBytes, PerWord: perWord, Counters: feature.Counters, Trims: feature.Trims, Streams: feature.Streams, Owns: feature.Owns,
	}
	if feature.Magazines {
		params.Magazine = 2
	}
	return strict.Cases(name, params, func() strict.FastCore { return &shell{} })
}

// shell frees as shells do.
type shell struct{ Core }

func (p *shell) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if feature.Owns {
		if p.IsOwning() {
			ok := false
			if m, word := p.Own(poolimpl.Pin()); word != nil {
				slot, ok = m.Slot, p.FreeOwn(m, word, addr-m.Base.Load())
			}
			poolimpl.Unpin()
			if ok {
				return slot, poolimpl.Freed
			}
		}
	}
	return p.Core.Free(addr, bytes)
}
