package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Sampled // the condition of the declarations below

// weight is what each block counts on the way to the next sample.
//
//poolgen:if feature.Sampled
const weight = itemBytes*feature.SampleByte + feature.SampleBlock

// Countdown returns the countdown of the caller's processor, which AllocFast counts with. It ignores the length: all requests have the same.
//
//poolgen:if feature.Sampled
func (c *Core) Countdown(_ uint64) *poolimpl.Countdown {
	return poolimpl.CountdownOfCaller(maxHints, func(i uint32) *poolimpl.Countdown { return &c.hints[i].countdown })
}
