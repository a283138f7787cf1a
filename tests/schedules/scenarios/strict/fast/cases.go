//go:build explored

package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// Cases returns the programs to explore.
func Cases(name string) []explore.Case {
	params := &strict.Params{
		BlockSize: blockSize, ItemBytes: itemBytes, PerWord: perWord, Counters: feature.Counters, Trims: feature.Trims, Streams: feature.Streams,
	}
	if feature.Magazines {
		params.Magazine = 2
	}
	return strict.Cases(name, params, func() strict.FastCore { return new(Core) })
}
