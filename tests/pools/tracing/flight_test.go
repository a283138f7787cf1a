//go:build pooltrace

package tracing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

// events returns the last events of the only pool of a snapshot.
func events(s *poolrt.Snapshot) []poolrt.FlightEvent { return s.Pools[0].Events }

// keep sets the number of events that are kept, until the test ends.
func keep(t *testing.T, events int) {
	fatal.If(t, poolrt.SetFlightRecorder(events))
	t.Cleanup(func() { fatal.If(t, poolrt.SetFlightRecorder(4096)) })
}

// The flight recorder has the last events of a pool in order, with their addresses and sizes.
func TestFlightRecorder(t *testing.T) {
	each(t, func(t *testing.T, p forms.Pool) {
		before := time.Now()
		a := p.Take(t)
		b := p.Take(t)
		fatal.If(t, p.Free(a))
		if err := p.Free(a); !errors.Is(err, poolrt.ErrInvalidFree) {
			t.Fatalf("second free: %v", err)
		}
		var got []string
		last := uint64(0)
		for _, e := range events(p.Snapshot()) {
			if e.Number <= last {
				t.Errorf("event %d comes after %d", e.Number, last)
			}
			last = e.Number
			if e.Kind == poolrt.FlightGrow || e.Kind == poolrt.FlightTrim {
				continue
			}
			if e.Bytes != size || e.Time.Before(before.Add(-time.Second)) || e.Time.After(time.Now()) {
				t.Errorf("%+v", e)
			}
			got = append(got, fmt.Sprintf("%v %x", e.Kind, e.Addr))
		}
		want := []string{fmt.Sprintf("alloc %x", place(a)), fmt.Sprintf("alloc %x", place(b)), fmt.Sprintf("free %x", place(a)), fmt.Sprintf("free %x", place(a))}
		if poolrt.Debug { // which refuses the free before it is tried
			want = want[:3]
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// When the ring is full, the oldest events are dropped. Growth and failures are events too.
func TestFlightRecorderKeepsTheLast(t *testing.T) {
	keep(t, 60) // 64
	p := new(pools.HeapPool)
	for range 100 {
		b, err := p.Alloc(size)
		fatal.If(t, err)
		fatal.If(t, p.Free(b))
	}
	if _, err := p.Alloc(1 << 20); err == nil {
		t.Fatal("the pool has no room for the test")
	}
	got := events(p.Snapshot())
	if len(got) != 64 || got[63].Kind != poolrt.FlightFail || got[63].Bytes != 1<<20 || got[0].Number != got[63].Number-63 {
		t.Errorf("%d events, the last %+v", len(got), got[len(got)-1])
	}
	keep(t, 0)
	b, err := p.Alloc(size)
	fatal.If(t, err)
	fatal.If(t, p.Free(b))
	if got := events(p.Snapshot()); len(got) != 0 {
		t.Errorf("%d events are kept, want none", len(got))
	}
	fatal.If(t, p.CloseForce())
}

func TestFlightRecorderRefuses(t *testing.T) {
	for _, n := range []int{-1, 1<<24 + 1} {
		if err := poolrt.SetFlightRecorder(n); !errors.Is(err, poolrt.ErrBadSize) {
			t.Errorf("%d: %v", n, err)
		}
	}
	for _, n := range []int{-1, 1<<30 + 1} {
		if err := poolrt.SetSampling(n); !errors.Is(err, poolrt.ErrBadSize) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// Events are consistent while others are written.
func TestFlightRecorderAmongMany(t *testing.T) {
	keep(t, 16)
	p := new(pools.StrictPool)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				b, err := p.Alloc()
				if err == nil {
					err = p.Free(b)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	seen := 0
	for seen < 2000 {
		for _, e := range events(p.Snapshot()) {
			seen++
			if k := e.Kind; k != poolrt.FlightGrow && (e.Bytes != size || e.Addr == 0 || k != poolrt.FlightAlloc && k != poolrt.FlightFree) {
				t.Fatalf("%+v", e)
			}
		}
	}
	close(stop)
	all.Wait()
	fatal.If(t, p.Close())
}

// A reset is one event.
func TestResetIsOneEvent(t *testing.T) {
	p := new(pools.FramesPool)
	for range 3 {
		if _, err := p.Alloc(size); err != nil {
			t.Fatal(err)
		}
	}
	fatal.If(t, p.Reset())
	var kinds []string
	for _, e := range events(p.Snapshot()) {
		if e.Kind != poolrt.FlightGrow {
			kinds = append(kinds, e.Kind.String())
		}
	}
	if got := strings.Join(kinds, " "); got != "alloc alloc alloc reset" {
		t.Errorf("got %s", got)
	}
	fatal.If(t, p.CloseForce())
}
