package strips

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Countdown returns the countdown of the strip of the caller's processor, whatever the length.
func (c *Core) Countdown(_ uint64) *poolimpl.Countdown {
	return poolimpl.CountdownOfCaller(maxProcStrips, func(i uint32) *poolimpl.Countdown {
		if s := c.strip(i); s != nil {
			return &s.countdown
		}
		return c.early.Countdown(c.params.Samples)
	})
}
