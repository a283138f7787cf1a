package simulator

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// A graph uses the memory that is mapped to its addresses when it is launched; a launch fails where there is none.
func TestGraphFindsMappings(t *testing.T) {
	r := newRig(t, Config{})
	at, s := r.reserve(2*grain), r.stream()
	fill := func() {
		m := r.physical(2*grain, 0)
		r.ok(r.MemMap(at, 2*grain, 0, m))
		r.ok(r.MemSetAccess(at, 2*grain, 0, abi.AccessReadWrite))
		r.ok(r.MemRelease(m))
	}
	fill()
	r.ok(r.StreamBeginCapture(r.ctx, s))
	r.set(at, 7, 8, s)
	r.ok(r.MemcpyDtoDAsync(r.ctx, at+grain, at, 8, s))
	g, result := r.StreamEndCapture(r.ctx, s)
	r.ok(result)
	for range 2 {
		r.launchGraph(g, s)
		r.ok(r.StreamSynchronize(r.ctx, s))
		r.holds(at+grain, 7, 8)
		r.ok(r.MemUnmap(at, 2*grain))
		fill()
		r.holds(at+grain, 0xCD, 8)
	}
	r.ok(r.MemUnmap(at, 2*grain))
	r.launchGraph(g, s)
	r.want(r.StreamSynchronize(r.ctx, s), abi.IllegalAddress)
}
