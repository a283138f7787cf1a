//go:build gc && (amd64 || arm64) && !race && !msan && !asan && !poolgen_noproc

package callers

import (
	"testing"
	"unsafe"
)

// Frame pointers are found, so that Take does not need runtime.Callers.
func TestWalk(t *testing.T) {
	var stack [4]uintptr
	if n := walk(stack[:]); n < 3 {
		t.Errorf("%d calls", n)
	}
}

// The g of a goroutine is found to have its number, so that Goroutine does not need runtime.Stack.
func TestNumber(t *testing.T) {
	if number() == 0 {
		t.Error("not found")
	}
}

// A chain that leads out of the stack, or back, is not followed. In functions that C code calls it does so.
func TestChainOutOfTheStack(t *testing.T) {
	var room [4]link
	at := func(i int) uintptr { return uintptr(unsafe.Pointer(&room[i])) }
	var beyond link
	for _, test := range []struct {
		ups  [3]uintptr
		want int
	}{
		{[3]uintptr{at(1), at(2), 0}, 3},
		{[3]uintptr{at(2), 0, 0}, 2},
		{[3]uintptr{at(1), at(3), 0}, 0},
		{[3]uintptr{at(1), at(3) - 8, 0}, 0},
		{[3]uintptr{at(1), at(0), 0}, 0},
		{[3]uintptr{at(1), at(1), 0}, 0},
		{[3]uintptr{at(1), uintptr(unsafe.Pointer(&beyond)), 0}, 0},
		{[3]uintptr{at(1), 1, 0}, 0},
		{[3]uintptr{at(1), ^uintptr(0), 0}, 0},
	} {
		for i, up := range test.ups {
			room[i] = link{up, uintptr(i + 1)}
		}
		var stack [8]uintptr
		if n := room[0].follow(at(3), stack[:]); n != test.want {
			t.Errorf("%x: %d calls, not %d", test.ups, n, test.want)
		}
	}
}
