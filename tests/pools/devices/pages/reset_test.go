//go:build cudasim

package pages

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// resets fills pages with blocks, some of which it frees, and resets the pool. All pages are free and in one range afterwards, except those that the
// trim policy has returned.
func resets[S span](t *testing.T, p interface {
	pool[S]
	Reset() error
}, left int64) {
	t.Helper()
	machine(t)
	rig.Closing(t, p)
	for range 3 {
		var held []S
		for p.Stats().Reserved < 6*page {
			held = append(held, rig.Must(p.Alloc(100<<10)))
		}
		for i := 1; i < len(held); i += 3 {
			rig.Check(t, "free", p.Free(held[i]))
		}
		rig.Check(t, "reset", p.Reset())
		if s := p.Stats(); s.Live != 0 || s.Reserved != left*page {
			t.Errorf("after Reset: %+v, want %d pages", s, left)
		}
		for _, b := range held {
			rig.Refused(t, "free after Reset", p.Free(b), poolrt.ErrInvalidFree)
		}
		rig.Check(t, "free", p.Free(rig.Must(p.Alloc(6*page))))
	}
}

// Reset keeps the pages of a pool, or follows its trim policy.
func TestResetOnPages(t *testing.T) {
	t.Run("heap", func(t *testing.T) { resets(t, new(PlainPool), 6) })
	t.Run("first", func(t *testing.T) { resets(t, new(FirstPool), 6) })
	t.Run("best", func(t *testing.T) { resets(t, new(BestPool), 6) })
	t.Run("binned", func(t *testing.T) { resets(t, new(BinnedPool), 6) })
	t.Run("classes", func(t *testing.T) { resets(t, new(ClassedPool), 6) })
	t.Run("sharded", func(t *testing.T) { resets(t, new(ManyPool), 6) })
	t.Run("quick sharded", func(t *testing.T) { resets(t, new(ManyQuickPool), 0) })
	t.Run("quick", func(t *testing.T) { resets(t, new(QuickPool), 1) })
	t.Run("quick bins", func(t *testing.T) { resets(t, new(QuickBinsPool), 0) })
}

// Pages that Reset leaves empty go when they have been free for a while, counted from the Reset.
func TestPagesGoAfterReset(t *testing.T) {
	p := new(IdlePool)
	b := lone(t, p, 100<<10, p.Poll)
	before := p.Stats().Reserved
	rig.Check(t, "reset", p.Reset())
	if got := p.Stats().Reserved; got != before && got != 0 { // 0 on a machine that was busy for 20 ms
		t.Errorf("%d bytes are reserved, before %d", got, before)
	}
	rig.Refused(t, "free after Reset", p.Free(b), poolrt.ErrInvalidFree)
	shrinks(t, p, 0, p.Poll)
}

// Reset waits for the streams whose frees are pending.
func TestResetWaitsForStreams(t *testing.T) {
	machine(t)
	p, s := new(FlowPool), rig.Stream(t, cuda.Device(0))
	rig.Closing(t, p)
	b := rig.Must(p.AllocOn(100<<10, s))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
	rig.Check(t, "free", p.FreeOn(b, s))
	rig.Must(p.Alloc(100 << 10)) // live, without work
	rig.Check(t, "reset", p.Reset())
	if st := p.Stats(); st.Live != 0 || st.Pending != 0 {
		t.Errorf("after Reset: %+v", st)
	}
	again := rig.Must(p.Alloc(200 << 10))
	rig.Check(t, "write", cuda.MemsetAsync(again.Addr(), 2, again.Bytes(), rig.Stream(t, cuda.Device(0))))
	rig.Check(t, "synchronize", cuda.Device(0).Synchronize())
	rig.Check(t, "free", p.Free(again))
}
