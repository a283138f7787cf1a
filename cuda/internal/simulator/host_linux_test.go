package simulator

import (
	"fmt"
	"os"
	"testing"
	"unsafe"

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

// Work on host memory of an earlier machine fails as work on device memory that is gone does. The program goes on.
func TestHostMemoryOfAnEarlierMachine(t *testing.T) {
	for name, copies := range map[string]func(r *rig, device abi.Ptr, host unsafe.Pointer) abi.Result{
		"to the device": func(r *rig, device abi.Ptr, host unsafe.Pointer) abi.Result {
			return r.MemcpyHtoD(r.ctx, device, host, 8)
		},
		"from it": func(r *rig, device abi.Ptr, host unsafe.Pointer) abi.Result {
			return r.MemcpyDtoH(r.ctx, host, device, 8)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Config{})
			host, result := r.MemHostAlloc(r.ctx, 1<<20, 0)
			r.ok(result)
			r.Reset(Config{})
			device, result := r.MemAlloc(r.ctx, 8)
			r.ok(result)
			if result := copies(r, device, host); result != abi.IllegalAddress {
				t.Errorf("the copy returns %v", result)
			}
		})
	}
}
