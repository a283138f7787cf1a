//go:build gc && (amd64 || arm64) && !race && !msan && !asan && !poolgen_noproc

package callers

import (
	"math/bits"
	"slices"
	"sync"
	"unsafe"
)

// physical reports whether stacks have program counters as they are in memory.
const physical = true

// link is what a frame pointer points to.
type link struct {
	up   uintptr // frame pointer of the caller; 0 in the function that the goroutine began with
	back uintptr // program counter to return to
}

// frame returns the frame pointer of its caller, and the bounds of the stack.
func frame() (at *link, low, high uintptr)

// bounded reports whether frame finds the bounds of the stack where it looks for them. The size of the stack of a goroutine is a power of two.
var bounded = func() bool {
	at, low, high := frame()
	here := uintptr(unsafe.Pointer(at))
	return low < here && here < high && bits.OnesCount(uint(high-low)) == 1
}()

// walk is Take by frame pointers; it returns 0 if they lead out of the stack.
//
// The stack of a goroutine moves when it has to grow, which functions check at their start, and when the garbage collector shrinks it, which it does where a
// goroutine has stopped at such a check. From the call of frame to the end of walk, there is none: both are nosplit. A goroutine that is preempted between two
// instructions keeps its stack where it is.
//
//go:nosplit
func walk(stack []uintptr) int {
	if !bounded {
		return 0
	}
	at, _, high := frame()
	return at.follow(high, stack)
}

// follow fills stack with the program counters from a link on, and returns their number; 0 if a link does not lie between the one before and the end of the stack.
//
//go:nosplit
func (at *link) follow(high uintptr, stack []uintptr) (n int) {
	for n < len(stack) {
		stack[n] = at.back
		n++
		here := uintptr(unsafe.Pointer(at))
		switch up := at.up; {
		case up == 0:
			return n
		case up <= here || up > high-unsafe.Sizeof(*at):
			return 0
		default:
			at = (*link)(unsafe.Add(unsafe.Pointer(at), up-here))
		}
	}
	return n
}

// self returns the g of its caller.
func self() unsafe.Pointer

// number is Goroutine by what the g says; 0 if it is not known where that stands.
func number() uint64 {
	if at := numberAt(); at > 0 {
		return *(*uint64)(unsafe.Add(self(), at))
	}
	return 0
}

// numberAt returns where a g has its number: the only place at which the gs of several goroutines have what
// their stack traces say; 0 if there is none.
var numberAt = sync.OnceValue(func() uintptr {
	var places []uintptr
	for at := unsafe.Sizeof(link{}); at < 256; at += 8 { // a g is larger
		places = append(places, at)
	}
	for range 4 {
		done := make(chan bool)
		go func() {
			n := printed()
			g := self()
			places = slices.DeleteFunc(places, func(at uintptr) bool { return *(*uint64)(unsafe.Add(g, at)) != n })
			close(done)
		}()
		<-done
	}
	if len(places) != 1 {
		return 0
	}
	return places[0]
})
