package prometheus

import (
	"strconv"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// labels are what tells series apart: pool, allocator, device.
type labels = [3]string

// sums adds up the pools that are the same series: Prometheus takes each series once.
func sums(pools []poolrt.PoolInfo) map[labels]*poolrt.Stats {
	all := map[labels]*poolrt.Stats{}
	for _, p := range pools {
		l := labels{p.Name, p.Allocator, ""}
		if p.Device >= 0 {
			l[2] = strconv.Itoa(p.Device)
		}
		if sum := all[l]; sum != nil {
			add(sum, p.Stats)
		} else {
			s := p.Stats
			all[l] = &s
		}
	}
	return all
}

func add(sum *poolrt.Stats, s poolrt.Stats) {
	for _, f := range []struct{ to, from *int64 }{
		{&sum.Live, &s.Live}, {&sum.LiveBytes, &s.LiveBytes}, {&sum.Reserved, &s.Reserved}, {&sum.Chunks, &s.Chunks}, {&sum.Allocs, &s.Allocs}, {&sum.Frees, &s.Frees},
		{&sum.Failures, &s.Failures}, {&sum.Pending, &s.Pending}, {&sum.RoundingBytes, &s.RoundingBytes}, {&sum.Cached, &s.Cached}, {&sum.SoftCrossings, &s.SoftCrossings},
	} {
		*f.to += *f.from
	}
	for _, f := range []struct{ to, from *int64 }{
		{&sum.PeakBytes, &s.PeakBytes}, {&sum.PeakReserved, &s.PeakReserved}, {&sum.Limit, &s.Limit}, {&sum.LargestFree, &s.LargestFree},
	} {
		*f.to = max(*f.to, *f.from)
	}
}
