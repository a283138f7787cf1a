package poolimpl

import "testing"

// TestTally counts blocks that are handed out, freed, made live again and uncounted.
func TestTally(t *testing.T) {
	var c Tally
	c.CountAlloc(100)
	c.CountAlloc(20)
	c.CountFree(100)
	c.CountLive(300) // does not set the peak
	if got, want := c.Usage(), (Usage{Live: 2, LiveBytes: 320, PeakBytes: 120, Allocs: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	c.CountFree(20)
	c.Uncount()
	c.CountAlloc(1)
	if got, want := c.Usage(), (Usage{Live: 2, LiveBytes: 301, PeakBytes: 301, Allocs: 2}); got != want {
		t.Errorf("after Uncount: got %+v, want %+v", got, want)
	}
	c.CountFree(300)
	c.ResetPeak()
	if got, want := c.Usage(), (Usage{Live: 1, LiveBytes: 1, PeakBytes: 1, Allocs: 2}); got != want {
		t.Errorf("after ResetPeak: got %+v, want %+v", got, want)
	}
}
