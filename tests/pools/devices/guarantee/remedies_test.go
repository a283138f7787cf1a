//go:build cudasim

package guarantee

import (
	"fmt"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// named checks that an error names a remedy, and returns the account.
func named(t *testing.T, err error, remedy string) poolrt.Account {
	t.Helper()
	p := rig.As[*poolrt.PoolError](t, err)
	if !slices.Contains(p.Remedies, remedy) {
		t.Errorf("got %q, want %q among them", p.Remedies, remedy)
	}
	return *p.Account
}

// The rung trim helps where the error of a pool without it says so.
func TestRemedyTrim(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	kept, trimmed := new(KeptPool), new(TrimmedPool)
	rig.Closing(t, kept)
	rig.Closing(t, trimmed)
	rig.Check(t, "free", kept.Free(rig.Must(kept.Alloc(60*kib))))
	_, err := kept.Alloc(96 * kib)
	a := named(t, err, "the rung trim, which gives back the 65536 bytes in empty chunks (on_exhausted: [trim, ...])")
	if a.Empty != 64*kib || a.Pages != 0 || a.Pinned != 0 || a.Addresses != 0 {
		t.Errorf("%+v", a)
	}
	rig.Check(t, "free", trimmed.Free(rig.Must(trimmed.Alloc(60*kib))))
	rig.Check(t, "free", trimmed.Free(rig.Must(trimmed.Alloc(96*kib))))
}

// The rung drain helps where the error of a pool without it says so.
func TestRemedyDrain(t *testing.T) {
	s := busy(t, 10)
	p, drained := new(FlowHeapPool), new(DrainedPool)
	rig.Closing(t, p)
	rig.Closing(t, drained)
	a := rig.Must(p.Alloc(16 * mib))
	b := rig.Must(drained.Alloc(16 * mib))
	rig.Check(t, "work", sim.Work(s))
	rig.Check(t, "free", p.FreeOn(a, s))
	rig.Check(t, "free", drained.FreeOn(b, s))
	named(t, rig.Second(p.Alloc(16*mib)), "the rung drain, which waits for the 16777216 bytes that are pending on streams")
	done := make(chan error)
	go func() {
		b, err := drained.Alloc(16 * mib)
		if err == nil {
			err = drained.Free(b)
		}
		done <- err
	}()
	for {
		select {
		case err := <-done:
			rig.Check(t, "drained", err)
			return
		default:
			sim.Tick()
		}
	}
}

// Smaller pages help where the error of a pool with larger ones says so, and so does the limit that it names.
func TestRemedyPages(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	coarse, fine := rig.Must(NewCoarsePool(poolrt.WithLimit(24*mib))), rig.Must(NewHeapPool(poolrt.WithLimit(24*mib)))
	rig.Closing(t, coarse)
	rig.Closing(t, fine)
	// In each of the first two pages, 1 MiB is in use.
	scattered(t, coarse)
	_, err := coarse.Alloc(12 * mib)
	a := named(t, err, "pages smaller than 8388608 (see chunk_size), as 14680064 bytes are free on pages that are in use")
	if a.Pages != 2 || a.Empty != 8*mib || a.Pinned != 14*mib || a.Addresses != 64*mib {
		t.Errorf("%+v", a)
	}
	named(t, err, "a limit of 33554432, which leaves room for 16777216 more in pages of 8388608 (SetLimit sets it)")

	scattered(t, fine)
	rig.Check(t, "free", fine.Free(rig.Must(fine.Alloc(12*mib))))

	rig.Check(t, "limit", coarse.SetLimit(33554432))
	rig.Check(t, "free", coarse.Free(rig.Must(coarse.Alloc(12*mib))))
	rig.Check(t, "reset", coarse.Reset())
	rig.Check(t, "reset", fine.Reset())
}

// scattered leaves blocks of 1 MiB at 4 and 12 MiB of the addresses of a pool.
func scattered[S any](t *testing.T, p interface {
	Alloc(int) (S, error)
	Free(S) error
}) {
	for i, n := range []int{4, 1, 7, 1, 11} {
		b := rig.Must(p.Alloc(n * mib))
		if i%2 == 0 {
			defer func() { rig.Check(t, "free", p.Free(b)) }()
		}
	}
}

// A limit above max_limit needs a larger max_limit.
func TestRemedyMaxLimit(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	p := rig.Must(NewHeapPool(poolrt.WithLimit(30 * mib)))
	rig.Closing(t, p)
	b := rig.Must(p.Alloc(30 * mib))
	named(t, rig.Second(p.Alloc(2*mib)), "a limit of 33554432, which leaves room for 2097152 more in pages of 2097152 (SetLimit sets it)")
	named(t, rig.Second(p.Alloc(4*mib)), "a limit of 35651584, which leaves room for 4194304 more in pages of 2097152, and a max_limit as large, which is 33554432")
	rig.Check(t, "limit", p.SetLimit(33554432))
	rig.Check(t, "free", p.Free(rig.Must(p.Alloc(2*mib))))
	rig.Check(t, "free", p.Free(b))
}

// More addresses help where the error of a pool with less says so.
func TestRemedyAddresses(t *testing.T) {
	for _, more := range []int64{0, 2 * page} {
		t.Run(fmt.Sprint(more), func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, AddressSpace: uint64(32*mib + more)})
			p := rig.Must(NewHeapPool(poolrt.WithLimit(32 * mib)))
			rig.Closing(t, p)
			var left []HeapSpan
			for i := range 16 {
				b := rig.Must(p.Alloc(page))
				left = append(left, b)
				if i%2 == 1 {
					defer func() { rig.Check(t, "free", p.Free(b)) }()
				}
			}
			for i := 0; i < 16; i += 2 {
				rig.Check(t, "free", p.Free(left[i]))
			}
			b, err := p.Alloc(2 * page)
			if more == 0 {
				named(t, err, "4194304 more addresses in a row, beside the 33554432 that the pool has reserved")
				return
			}
			rig.Check(t, "with more addresses", err)
			rig.Check(t, "free", p.Free(b))
		})
	}
}
