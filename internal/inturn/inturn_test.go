package inturn

import (
	"slices"
	"testing"
)

// TestCall: each element gets its call, whichever calls panic, and the last panic reaches the caller.
func TestCall(t *testing.T) {
	list := []int{0, 1, 2, 3}
	for panics := range 1 << len(list) {
		var got []int
		last := any(nil)
		func() {
			defer func() { last = recover() }()
			Call(list, func(n int) {
				got = append(got, n)
				if panics&(1<<n) != 0 {
					panic(n)
				}
			})
		}()
		want := any(nil)
		for n := range list {
			if panics&(1<<n) != 0 {
				want = n
			}
		}
		if !slices.Equal(got, list) || last != want {
			t.Errorf("panics %04b: calls %v, panic %v", panics, got, last)
		}
	}
}

// TestRun: a call that panics does not keep the later ones from being made.
func TestRun(t *testing.T) {
	var got []int
	func() {
		defer func() { _ = recover() }()
		Run(func() { got = append(got, 1) }, func() { panic("second") }, func() { got = append(got, 3) })
	}()
	if !slices.Equal(got, []int{1, 3}) {
		t.Errorf("calls %v", got)
	}
}
