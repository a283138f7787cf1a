package shards

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Sampled // the condition of the declarations below

// weight returns what a request counts on the way to the next sample.
//
//poolgen:if feature.Sampled
func weight(bytes uint64) uint64 { return bytes*feature.SampleByte + feature.SampleBlock }

// Countdown returns the countdown of the shard that the caller's processor starts at, whatever the length.
//
//poolgen:if feature.Sampled
func (c *Core) Countdown(_ uint64) *poolimpl.Countdown {
	return poolimpl.CountdownOfCaller(maxShards, func(i uint32) *poolimpl.Countdown {
		if s := c.homes[i].Load(); s != nil {
			return &s.countdown
		}
		return &c.countdown
	})
}
