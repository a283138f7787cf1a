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
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

// events are the last ones of the only pool of a snapshot.
func events(s *poolrt.Snapshot) []poolrt.FlightEvent { return s.Pools[0].Events }

// keep sets how many events are kept, for a test.
func keep(t *testing.T, events int) {
	check(t, poolrt.SetFlightRecorder(events))
	t.Cleanup(func() { check(t, poolrt.SetFlightRecorder(4096)) })
}

// The last events of a pool are there in order, with what they were about.
func TestFlightRecorder(t *testing.T) {
	each(t, func(t *testing.T, p forms.Pool) {
		before := time.Now()
		a := p.Take(t)
		b := p.Take(t)
		check(t, p.Free(a))
		if err := p.Free(a); !errors.Is(err, poolrt.ErrInvalidFree) {
			t.Fatalf("second free: %v", err)
		}
		var got []string
		last := uint64(0)
		for _, e := range events(p.Snapshot()) {
			if e.Number <= last {
				t.Errorf("event %d comes behind %d", e.Number, last)
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
		if poolrt.Debug { // which knows before the free is tried that it is none
			want = want[:3]
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// What the ring has no room for is gone, oldest first; growth and failures are among the events.
func TestFlightRecorderKeepsTheLast(t *testing.T) {
	keep(t, 60) // 64
	p := new(pools.HeapPool)
	for range 100 {
		b, err := p.Alloc(size)
		check(t, err)
		check(t, p.Free(b))
	}
	if _, err := p.Alloc(1 << 20); err == nil {
		t.Fatal("there is no room for so much")
	}
	got := events(p.Snapshot())
	if len(got) != 64 || got[63].Kind != poolrt.FlightFail || got[63].Bytes != 1<<20 || got[0].Number != got[63].Number-63 {
		t.Errorf("%d events, the last %+v", len(got), got[len(got)-1])
	}
	keep(t, 0)
	b, err := p.Alloc(size)
	check(t, err)
	check(t, p.Free(b))
	if got := events(p.Snapshot()); len(got) != 0 {
		t.Errorf("%d events are kept where none are wanted", len(got))
	}
	check(t, p.CloseForce())
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

// Events are whole while others are written.
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
	check(t, p.Close())
}

// A reset is one event.
func TestResetIsOneEvent(t *testing.T) {
	p := new(pools.FramesPool)
	for range 3 {
		if _, err := p.Alloc(size); err != nil {
			t.Fatal(err)
		}
	}
	check(t, p.Reset())
	var kinds []string
	for _, e := range events(p.Snapshot()) {
		if e.Kind != poolrt.FlightGrow {
			kinds = append(kinds, e.Kind.String())
		}
	}
	if got := strings.Join(kinds, " "); got != "alloc alloc alloc reset" {
		t.Errorf("got %s", got)
	}
	check(t, p.CloseForce())
}
