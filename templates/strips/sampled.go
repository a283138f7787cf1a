package strips

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Sampled // the condition of the declarations below

// weight returns what a request counts on the way to the next sample.
//
//poolgen:if feature.Sampled
func weight(bytes uint64) uint64 { return bytes*feature.SampleByte + feature.SampleBlock }

// Countdown returns the countdown of the strip of the caller's processor, whatever the length.
//
//poolgen:if feature.Sampled
func (c *Core) Countdown(_ uint64) *poolimpl.Countdown {
	list := c.procStrips.Load()
	if list == nil {
		return &c.countdown
	}
	return poolimpl.CountdownOfCaller(uint32(len(*list)), func(i uint32) *poolimpl.Countdown {
		if s := (*list)[i].strip.Load(); s != nil {
			return &s.countdown
		}
		return &c.countdown
	})
}
