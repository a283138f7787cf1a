package main

import (
	"strings"
	"testing"
	"time"
)

// Answers are right, and the pool keeps to its limit: with room for all calls, and with less room than the largest message takes.
func TestLimit(t *testing.T) {
	pool := DefaultMessagePool()
	for _, limit := range []int64{16 << 20, 128 << 10} {
		waitEmpty(t, pool)
		if err := pool.SetLimit(limit); err != nil {
			t.Fatal(err)
		}
		before, counted := pool.Stats(), buffers.Stats()
		var out strings.Builder
		if err := run(&out, 4, 30); err != nil {
			t.Fatal(err)
		}
		s, a := pool.Stats(), buffers.Stats()
		t.Logf("%s%v", &out, s)
		if s.Reserved > limit || s.Allocs-before.Allocs < 240 {
			t.Errorf("a limit of %d: %v", limit, s)
		}
		if fell := a.Fallbacks > counted.Fallbacks; fell != (limit < largest) || a.Refused > 0 {
			t.Errorf("a limit of %d: %+v", limit, a)
		}
		if !strings.Contains(out.String(), "in 240 calls\n") {
			t.Errorf("%q", &out)
		}
	}
}

// waitEmpty waits for goroutines of gRPC that put their buffers back when their connection is closed already.
func waitEmpty(t *testing.T, pool *MessagePool) {
	for start := time.Now(); pool.Stats().Live > 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("%v", pool.Stats())
		}
	}
}
