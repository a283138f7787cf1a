package fixed

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// TestSet: pools use the interfaces for which they have the parameter alone. Set keeps a copy of the parameters.
func TestSet(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		given := p
		c := new(Core)
		c.Set(&given)
		if got, want := c.Features(), (poolimpl.Features{Streams: p.Streams, Ranges: p.Ranged, Shares: true}); got != want {
			t.Errorf("Features = %+v, want %+v", got, want)
		}
		if given = (Params{}); c.Step() != p.BlockSize || c.Need(p.ItemBytes, 1) != p.BlockSize {
			t.Errorf("blocks of %d, or of %d", c.Step(), c.Need(p.ItemBytes, 1))
		}
	})
}
