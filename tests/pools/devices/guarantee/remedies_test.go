//go:build cudasim

package guarantee

import (
	"fmt"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
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

// To wait for another stream helps where the error of a pool that does not let streams wait says so.
func TestRemedyAcrossStreams(t *testing.T) {
	const remedy = "across_streams: growth, as a stream may then wait for the 16777216 bytes that another one has freed; or the rung poll"
	s := busy(t, 10)
	other := rig.Stream(t, 0)
	p, waiting := new(FlowHeapPool), new(FlowBinnedPool)
	rig.Closing(t, p)
	rig.Closing(t, waiting)
	for _, n := range []int{15 * mib, 16 * mib} { // the second time it is long enough
		a := rig.Must(p.Alloc(n))
		rig.Check(t, "work", sim.Work(s))
		rig.Check(t, "free", p.FreeOn(a, s))
		_, err := p.AllocOn(16*mib, other)
		if told := slices.Contains(rig.As[*poolrt.PoolError](t, err).Remedies, remedy); told != (n == 16*mib) {
			t.Errorf("%d bytes are pending: %v", n, err)
		}
		for range 20 {
			sim.Tick()
		}
		p.Poll()
	}
	b := rig.Must(waiting.Alloc(16 * mib))
	rig.Check(t, "work", sim.Work(s))
	rig.Check(t, "free", waiting.FreeOn(b, s))
	c, err := waiting.AllocOn(16*mib, other)
	rig.Check(t, "with across_streams: growth", err)
	rig.Check(t, "free", waiting.FreeOn(c, other))
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

// Pages help where the error of a pool with chunks says so.
func TestRemedyVirtual(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	chunks, pages := new(LumpsPool), rig.Must(NewBestPool(poolrt.WithLimit(32*mib)))
	rig.Closing(t, chunks)
	rig.Closing(t, pages)
	_, err := apart(t, chunks)
	named(t, err, "allocator: device_virtual, whose pages come to where they are needed, as 25165824 bytes are free in pieces of at most 12582912")
	named(t, err, "the 25165824 bytes that are free in one piece, not in several of at most 12582912 (see chunk_size)")
	b, err := apart(t, pages)
	rig.Check(t, "with pages", err)
	rig.Check(t, "free", pages.Free(b))
	rig.Check(t, "reset", chunks.Reset())
	rig.Check(t, "reset", pages.Reset())
}

// apart leaves 12 MiB free in two places of a pool of 32 MiB, and asks for 16.
func apart[S any](t *testing.T, p interface {
	Alloc(int) (S, error)
	Free(S) error
}) (S, error) {
	var free []S
	for i, n := range []int{4, 12, 4, 12} {
		if b := rig.Must(p.Alloc(n * mib)); i%2 == 1 {
			free = append(free, b)
		}
	}
	for _, b := range free {
		rig.Check(t, "free", p.Free(b))
	}
	return p.Alloc(16 * mib)
}

// What another pool holds empty helps where the error of a pool says so: by Trim, or by a budget of both.
func TestRemedyOfOthers(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1, Capacity: 20 * mib})
	p, other := new(HeapPool), new(FirstPool)
	left, right := new(LeftPool), new(RightPool)
	for _, p := range []interface{ Close() error }{p, other, left, right} {
		rig.Closing(t, p)
	}
	rig.Check(t, "free", other.Free(rig.Must(other.Alloc(16*mib))))
	_, err := p.Alloc(8 * mib)
	named(t, err, "the 16777216 bytes that guarantee.First holds empty on device 0, which Trim returns, and TrimAll of a group")
	named(t, err, "a budget of these pools, no larger than what device 0 has, as they then give to each other")
	rig.Must(poolrt.NewGroup("all", p, other).TrimAll(0))
	rig.Check(t, "free", p.Free(rig.Must(p.Alloc(8*mib))))
	rig.Must(p.Trim(0))
	rig.Check(t, "free", left.Free(rig.Must(left.Alloc(16*mib))))
	rig.Check(t, "free", right.Free(rig.Must(right.Alloc(8*mib)))) // of the budget of both
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

// A pool that is not shareable has more addresses where the error of one that is says so.
func TestRemedyShareable(t *testing.T) {
	const all = 16 * page
	shared := func() (*SharedPool, error) { return NewSharedPool(poolrt.WithLimit(all)) }
	own := func() (*FlowHeapPool, error) { return NewFlowHeapPool(poolrt.WithLimit(all)) }
	t.Run("shareable", func(t *testing.T) {
		named(t, twoHoles(t, shared), "shareable: false, as memory that can be shared has one range of addresses")
	})
	t.Run("own", func(t *testing.T) { rig.Check(t, "two pages", twoHoles(t, own)) })
}

// twoHoles fills the addresses of a pool but for two pages that are no neighbours, and asks for two pages in a row.
func twoHoles[S comparable, P interface {
	Alloc(int) (S, error)
	AllocOn(int, cuda.Stream) (S, error)
	FreeOn(S, cuda.Stream) error
	Poll() int
	CloseForce() error
}](t *testing.T, open func() (P, error)) error {
	rig.Machine(t, sim.Config{Devices: 1, AddressSpace: 18 * page})
	sim.Latency(10)
	s := rig.Stream(t, 0)
	p := rig.Must(open())
	defer func() { rig.Check(t, "close", p.CloseForce()) }()
	rig.Must(p.Alloc(page))
	for range 2 { // while the stream is at work in a page, the next one comes elsewhere, but not right behind it
		b := rig.Must(p.Alloc(page))
		rig.Check(t, "work", sim.Work(s))
		rig.Check(t, "free", p.FreeOn(b, s))
		rig.Refused(t, "too much", rig.Second(p.AllocOn(16*page, s)), poolrt.ErrLimit) // the suballocator has the block again
	}
	rig.Must(p.Alloc(11 * page))
	for range 10 {
		sim.Tick()
	}
	p.Poll()
	rig.Must(p.Alloc(page))
	rig.Must(p.Alloc(page))
	return rig.Second(p.Alloc(2 * page))
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
