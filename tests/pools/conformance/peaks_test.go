package conformance

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// peaked is a pool whose blocks are freed one by one.
type peaked[B any] interface {
	Free(B) error
	Stats() poolrt.Stats
	ResetPeaks() error
	Trim(int64) (int64, error)
	Close() error
}

// ResetPeaks restarts the peaks of any pool at what is live and reserved, and they rise again with the next blocks, as soon as these are live at once.
func TestResetPeaks(t *testing.T) {
	const kept, most = 3, 40
	t.Run("Small", func(t *testing.T) { p := new(SmallPool); peaks(t, p, ofLength(p.Alloc), kept, most, true) })
	t.Run("First", func(t *testing.T) { p := new(FirstPool); peaks(t, p, ofLength(p.Alloc), kept, most, true) })
	t.Run("Binned", func(t *testing.T) { p := new(BinnedPool); peaks(t, p, ofLength(p.Alloc), kept, most, true) })
	t.Run("OwnBins", func(t *testing.T) { p := new(OwnBinsPool); peaks(t, p, ofLength(p.Alloc), kept, most, true) })
	t.Run("Cached", func(t *testing.T) { p := new(CachedPool); peaks(t, p, ofLength(p.Alloc), kept, most, true) })
	t.Run("Ring", func(t *testing.T) { p := new(RingPool); peaks(t, p, ofLength(p.Alloc), kept, most, true) })
	t.Run("Direct", func(t *testing.T) { p := new(DirectPool); peaks(t, p, ofLength(p.Alloc), kept, most, true) })
	t.Run("Block", func(t *testing.T) { p := new(BlockPool); peaks(t, p, p.Alloc, kept, most, true) })
	t.Run("Item", func(t *testing.T) { p := new(ItemPool); peaks(t, p, p.Alloc, 2000, 5000, true) })
	t.Run("SharedHeap", func(t *testing.T) { p := new(SharedHeapPool); peaks(t, p, ofLength(p.Alloc), kept, most, false) })
	t.Run("TrimmedBins", func(t *testing.T) { p := new(TrimmedBinsPool); peaks(t, p, ofLength(p.Alloc), kept, most, false) })
}

func ofLength[B any](alloc func(int) (B, error)) func() (B, error) {
	return func() (B, error) { return alloc(1000) }
}

// peaks allocates most blocks, frees all but kept, resets the peaks, and allocates some again. Of a pool that estimates, the peaks are bounds.
func peaks[B any](t *testing.T, p peaked[B], alloc func() (B, error), kept, most int, exact bool) {
	var live []B
	var one int64
	hold := func(n int) {
		t.Helper()
		for len(live) < n {
			live = append(live, must[B](t)(alloc()))
		}
		for ; len(live) > n; live = live[:len(live)-1] {
			want(t, p.Free(live[len(live)-1]), nil)
		}
		one = p.Stats().LiveBytes / int64(n)
	}
	check := func(what string, blocks int) {
		t.Helper()
		s := p.Stats()
		if peak := int64(blocks) * one; s.PeakBytes < peak || exact && s.PeakBytes != peak || s.PeakBytes > s.PeakReserved || s.PeakReserved < s.Reserved {
			t.Errorf("%s: %+v, want a peak of %d", what, s, peak)
		}
	}
	hold(most)
	hold(kept)
	check("at first", most)
	before := p.Stats().PeakReserved
	must[int64](t)(p.Trim(0))
	for range 2 {
		want(t, p.ResetPeaks(), nil)
		check("reset", kept)
		if s := p.Stats(); s.PeakReserved != s.Reserved || s.PeakReserved > before {
			t.Errorf("reserved: %+v", s)
		}
		hold(kept + 1)
		hold(kept)
		check("one more", kept+1)
		hold(most / 2)
		hold(kept)
		check("half", most/2)
	}
	hold(most)
	check("as before", most)
	for _, b := range live {
		want(t, p.Free(b), nil)
	}
	want(t, p.Close(), nil)
	want(t, p.ResetPeaks(), poolrt.ErrClosed)
}
