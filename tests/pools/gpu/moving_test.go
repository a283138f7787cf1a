package gpu

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/pools/devices/pages"
)

// Pages move while a stream writes to them where they were. What another stream writes at the new place comes later, and nothing is made or lost, also if the pool
// sleeps meanwhile.
func TestPagesMoveInFlight(t *testing.T) {
	l := newLab(t, 0)
	stall()
	on := l.streams(2)
	const page, rounds = 2 << 20, 20
	p := new(pages.MovingPool)
	ballast, err := l.device.Alloc(64 << 20)
	l.ok("alloc", err)
	before := l.free()
	back := make([]byte, 4*page)
	for round := range rounds {
		first, second := on[round%2], on[1-round%2]
		var all, rest []pages.MovingSpan
		for range 8 {
			b, err := p.AllocOn(page, first)
			l.ok("alloc", err)
			all = append(all, b)
		}
		for range 100 { // so that the other stream could be first, if it did not wait
			l.ok("work", cuda.MemsetAsync(ballast, 1, 64<<20, first))
		}
		for i, b := range all {
			if i%2 == 0 {
				l.ok("work", cuda.MemsetAsync(b.Addr(), 1, page, first))
				l.ok("free", p.FreeOn(b, first))
			} else {
				rest = append(rest, b)
			}
		}
		b, err := p.AllocOn(4*page, second)
		l.ok("alloc", err)
		l.ok("work", cuda.MemsetAsync(b.Addr(), byte(2+round), b.Bytes(), second))
		l.ok("wait", second.Synchronize())
		l.ok("wait", first.Synchronize())
		if round%4 == 3 {
			l.ok("sleep", p.Sleep(t.Context()))
			l.ok("wake", p.Wake(t.Context()))
		}
		l.ok("copy", cuda.CopyToHost(back, b.Addr()))
		for i, got := range back {
			if got != byte(2+round) {
				t.Fatalf("round %d: byte %d is %d", round, i, got)
			}
		}
		if s := p.Stats(); s.Reserved != 8*page || s.PeakReserved != 8*page {
			t.Errorf("round %d: %+v", round, s)
		}
		for _, b := range append(rest, b) {
			l.ok("free", p.Free(b))
		}
		p.Poll()
		if n := before - l.free(); n < 8*page {
			t.Errorf("round %d: the pool takes up %d bytes", round, n)
		}
		_, err = p.Trim(0)
		l.ok("trim", err)
	}
	if n := l.free(); n < before {
		t.Errorf("%d bytes free, %d before", n, before)
	}
	n := p.Stats().StreamWaits
	t.Logf("%d of %d times the other stream had to wait", n, rounds)
	if n == 0 {
		t.Error("no stream had to wait")
	}
	l.ok("close", p.Close())
	l.ok("free", l.device.Free(ballast))
}
