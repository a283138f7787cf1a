package poolimpl

import "testing"

// Callers without the lock see exactly what other streams may be using of a block.
func TestShownRanges(t *testing.T) {
	p := newSharedRig(t, tight)
	b := must2(p.allocOn(s1, 40))
	p.line.use(s1)
	if err := p.freeOn(b, s1); err != nil {
		t.Fatal(err)
	}
	e := p.ready()
	want := func(when string, on uint64, addr, bytes uint64, want bool) {
		t.Helper()
		if e.SharedInFlightOn(on, addr, bytes) != want {
			t.Errorf("%s: [%d, +%d) for stream %d: %v", when, addr-b.addr, bytes, on, !want)
		}
	}
	want("pending in the queue", s2.ID, b.addr, 40, false)
	e.lock()
	onStreams{e}.recoverOwn(s1)
	e.unlockAndNotify()
	for _, on := range []uint64{s2.ID, noStream.ID} {
		want("in flight", on, b.addr, 40, true)
		want("its last byte", on, b.addr+39, 1, true)
		want("around it", on, b.addr-1, 42, true)
		want("before it", on, b.addr-10, 10, false)
		want("behind it", on, b.addr+40, 60, false)
	}
	want("its own stream", s1.ID, b.addr, 40, false)
	if !e.SharedInFlight() || !e.SharedInFlightAt(b.addr, 1) {
		t.Error("nothing is in flight")
	}
	p.line.completeAll()
	e.Poll()
	want("passed", s2.ID, b.addr, 40, false)
	if e.SharedInFlight() {
		t.Error("something is still in flight")
	}
}
