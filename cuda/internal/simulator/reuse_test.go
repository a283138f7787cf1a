package simulator

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Memory freed on a stream is reused on another stream only as the policies allow.
func TestPoolReuse(t *testing.T) {
	type setup struct {
		same, wait, run, sync                 bool
		follow, opportunistic, insertInternal uint64
	}
	for name, test := range map[string]struct {
		setup
		reused bool
		waits  bool // the other stream has to wait for the free
	}{
		"same stream":                 {setup{same: true}, true, true},
		"nothing allowed":             {setup{wait: true, run: true}, false, false},
		"the host waited":             {setup{sync: true}, true, false},
		"follow, with a wait":         {setup{wait: true, follow: 1}, true, true},
		"follow, without":             {setup{run: true, follow: 1}, false, false},
		"opportunistic, done":         {setup{run: true, opportunistic: 1}, true, false},
		"opportunistic, not yet done": {setup{wait: true, opportunistic: 1}, false, false},
		"internal":                    {setup{insertInternal: 1}, true, true},
	} {
		r := newRig(t, Config{Hazards: true})
		p, a, b, e := r.pool(abi.PoolProps{}), r.stream(), r.stream(), r.event()
		r.ok(r.MemPoolSetAttribute(p, abi.PoolReuseFollowEventDependencies, test.follow))
		r.ok(r.MemPoolSetAttribute(p, abi.PoolReuseAllowOpportunistic, test.opportunistic))
		r.ok(r.MemPoolSetAttribute(p, abi.PoolReuseAllowInternalDependencies, test.insertInternal))
		r.ok(r.MemPoolSetAttribute(p, abi.PoolReleaseThreshold, 1<<40))
		first := r.from(p, grain, a)
		r.set(first, 1, 8, a)
		r.ok(r.MemFreeAsync(r.ctx, first, a))
		if test.wait {
			r.ok(r.EventRecord(r.ctx, e, a))
		}
		if test.run {
			r.RunAll()
		}
		if test.sync {
			r.ok(r.StreamSynchronize(r.ctx, a))
		}
		if test.same {
			b = a
		}
		if test.wait {
			r.ok(r.StreamWaitEvent(r.ctx, b, e))
		}
		second := r.from(p, grain, b)
		if (second == first) != test.reused {
			t.Errorf("%s: reused %v", name, second == first)
		}
		r.set(second, 2, 8, b)
		if test.reused {
			r.ok(r.Run(r.ctx, b))
			r.holds(second, 2, 8)
			if done := r.StreamQuery(r.ctx, a) == abi.Success; !done && (test.waits || test.run || test.sync) {
				t.Errorf("%s: ran before the free", name)
			}
		}
		if found := r.Hazards(); len(found) > 0 {
			t.Errorf("%s: %s", name, found[0])
		}
	}
}
