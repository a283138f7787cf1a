package simulator

import (
	"fmt"
	"os"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// addressSpace is how much of it the process has, in pages.
func addressSpace(t *testing.T) (pages int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(text), &pages)
	}
	if err != nil {
		t.Skip(err)
	}
	return pages
}

func TestResetGivesHostMemoryBack(t *testing.T) {
	const bytes, rounds = 1 << 30, 20
	r := newRig(t, Config{})
	before := addressSpace(t)
	for range rounds {
		p, result := r.MemPoolCreate(abi.PoolProps{Type: abi.AllocationPinned, Location: abi.LocationHost})
		r.ok(result)
		r.from(p, bytes, 0)
		_, result = r.MemHostAlloc(r.ctx, bytes, 0)
		r.ok(result)
		_, result = r.MemAllocManaged(r.ctx, bytes, abi.ManagedGlobal)
		r.ok(result)
		r.Reset(Config{})
	}
	if n := (addressSpace(t) - before) * os.Getpagesize(); n > bytes {
		t.Errorf("%d bytes more than before", n)
	}
}
