package prometheus

import (
	"strconv"
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// labels are what tells series apart: pool, allocator, device.
type labels = [3]string

// sums are the values of the metrics, in their order, of each series. Prometheus takes each series once, but a list of pools may have a name twice: of a pool that was
// closed meanwhile, and of the one that has the name now.
func (c *Collector) sums(pools []poolrt.PoolInfo) map[labels][]int64 {
	all := map[labels][]int64{}
	for _, p := range pools {
		l := labels{strings.ToValidUTF8(p.Name, "\ufffd"), p.Allocator, ""} // with any other label the client refuses all metrics
		if p.Device >= 0 {
			l[2] = strconv.Itoa(p.Device)
		}
		if all[l] == nil {
			all[l] = make([]int64, len(c.metrics))
		}
		for i, m := range c.metrics {
			all[l][i] = m.and(all[l][i], m.Value(&p.Stats))
		}
	}
	return all
}

// and is the value of two pools together. None is negative.
func (m metric) and(a, b int64) int64 {
	if m.Largest {
		return max(a, b)
	}
	return a + b
}
