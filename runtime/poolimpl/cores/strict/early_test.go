package strict

import "testing"

// The fast path may ask a core for a block while its parameters are being set: a core without a chunk does not look at them. The race detector sees it if one does.
func TestAsksBeforeSet(t *testing.T) {
	for range 100 {
		c, done := new(Core), make(chan struct{})
		go func() {
			defer close(done)
			c.Set(&Params{BlockSize: 64, ItemBytes: 64, PerWord: 16, Magazine: 16, Counters: true, Streams: true, AllocsOn: true})
		}()
		if _, _, ok := c.AllocOn(1, 64); ok {
			t.Fatal("AllocOn")
		}
		if _, r := c.AllocRunOn(1, 4); r.Some != 0 {
			t.Fatal("AllocRunOn")
		}
		if _, r := c.AllocRun(4); r.Some != 0 {
			t.Fatal("AllocRun")
		}
		if _, v := c.FreeRun(c.Gather(64)); v == 0 {
			t.Fatal("FreeRun")
		}
		if _, v := c.Free(64, 64); v == 0 {
			t.Fatal("Free")
		}
		<-done
	}
}
