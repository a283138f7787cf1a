package shards

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Countdown returns the countdown of the shard that the caller's processor starts at, whatever the length.
func (c *Core) Countdown(_ uint64) *poolimpl.Countdown {
	return poolimpl.CountdownOfCaller(maxShards, func(i uint32) *poolimpl.Countdown {
		if s := c.homes[i].Load(); s != nil {
			return &s.countdown
		}
		return c.early.Countdown(c.params.Samples)
	})
}
