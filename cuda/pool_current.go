package cuda

import (
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// current is a driver's pool that a pool with set_current has made the one that cuMemAllocAsync uses in the whole process.
type current struct {
	site
	pool   abi.Pool
	before abi.Pool // the pool that was current before
}

// currents are those of open pools, in the order in which they were made current.
var currents struct {
	mu   sync.Mutex
	open []*current
}

// makeCurrent makes a driver's pool the current one of the device.
func (s site) makeCurrent(pool abi.Pool) (*current, error) {
	currents.mu.Lock()
	defer currents.mu.Unlock()
	before, r := s.drv.DeviceGetMemPool(int(s.dev))
	if err := check(r, "DeviceGetMemPool", s.dev, 0); err != nil {
		return nil, err
	}
	if err := check(s.drv.DeviceSetMemPool(int(s.dev), pool), "DeviceSetMemPool", s.dev, 0); err != nil {
		return nil, err
	}
	c := &current{s, pool, before}
	currents.open = append(currents.open, c)
	return c, nil
}

// end makes current again the pool that was current before, unless another was made current since: by a pool that is still open, which then restores the
// earlier one when it ends, or by the program.
func (c *current) end() error {
	currents.mu.Lock()
	defer currents.mu.Unlock()
	at := slices.Index(currents.open, c)
	later := currents.open[at+1:]
	next := slices.IndexFunc(later, func(o *current) bool { return o.dev == c.dev })
	switch {
	case next < 0:
		if err := c.restore(); err != nil {
			return err
		}
	case later[next].before == c.pool:
		later[next].before = c.before
	}
	currents.open = slices.Delete(currents.open, at, at+1)
	return nil
}

// restore makes the earlier pool current, if this pool still is current.
func (c *current) restore() error {
	now, r := c.drv.DeviceGetMemPool(int(c.dev))
	if r != abi.Success || now != c.pool {
		return check(r, "DeviceGetMemPool", c.dev, 0)
	}
	return check(c.drv.DeviceSetMemPool(int(c.dev), c.before), "DeviceSetMemPool", c.dev, 0)
}
