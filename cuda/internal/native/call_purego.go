//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// frame is memory of the heap that a call of the driver uses, because the stack of a goroutine may move during a call. Frames are used again: a call must
// not allocate.
type frame struct {
	args          [mostArgs]uintptr
	first, second uint64           // what a function writes by address; narrower numbers are the low bits
	room          [16]uint64       // a struct that a function reads or writes
	held          []unsafe.Pointer // memory of the program, for the time of a call
}

// mostArgs is the number of arguments of the function that has most.
const mostArgs = 11

var frames = sync.Pool{New: func() any { return new(frame) }}

// borrow returns a frame, whose numbers are 0. The caller gives it back.
func borrow() *frame { return frames.Get().(*frame) }

func (m *frame) giveBack() {
	clear(m.held)
	m.first, m.second, m.held = 0, 0, m.held[:0]
	frames.Put(m)
}

func (m *frame) toFirst() uintptr  { return uintptr(unsafe.Pointer(&m.first)) }
func (m *frame) toSecond() uintptr { return uintptr(unsafe.Pointer(&m.second)) }

// place writes a struct without pointers into a frame, and returns its address there.
func place[T any](m *frame, v T) uintptr {
	if unsafe.Sizeof(v) > unsafe.Sizeof(m.room) {
		panic("cuda: a struct of the driver has no room in a frame")
	}
	*(*T)(unsafe.Pointer(&m.room)) = v
	return uintptr(unsafe.Pointer(&m.room))
}

// placed returns what the driver has made of it.
func placed[T any](m *frame) T { return *(*T)(unsafe.Pointer(&m.room)) }

// hold returns the address of memory that the driver is to use. The memory is then on the heap, and stays until the frame is given back.
func (m *frame) hold(p unsafe.Pointer) uintptr {
	m.held = append(m.held, p)
	return uintptr(p)
}

// call calls a function of the driver that needs no context. Arguments that are addresses are those of a frame.
func call(f uintptr, args ...uintptr) abi.Result {
	if f == 0 {
		return abi.NoFunction
	}
	m := borrow()
	defer m.giveBack()
	r, _, _ := purego.SyscallN(f, m.args[:copy(m.args[:], args)]...)
	return abi.Result(int32(r))
}

// in calls a function of the driver in a context. The goroutine stays on its thread, to which the current context belongs.
func in(ctx abi.Context, f uintptr, args ...uintptr) abi.Result {
	if f == 0 {
		return abi.NoFunction
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, r := enter(ctx)
	if r != abi.Success {
		return r
	}
	r = call(f, args...)
	leave(ctx, before)
	return r
}

// enter makes a context current and returns the one that was current.
func enter(ctx abi.Context) (before abi.Context, r abi.Result) {
	if ctx == 0 {
		return 0, abi.InvalidContext
	}
	current, r := fetch(table.cuCtxGetCurrent)
	before = abi.Context(current)
	if r != abi.Success || before == ctx {
		return before, r
	}
	return before, call(table.cuCtxSetCurrent, uintptr(ctx))
}

// leave makes the earlier context current again. If that was destroyed meanwhile, none is current, as its owner expects; the operation itself is done,
// and its result remains.
func leave(ctx, before abi.Context) {
	if before != ctx && call(table.cuCtxSetCurrent, uintptr(before)) != abi.Success {
		call(table.cuCtxSetCurrent, 0)
	}
}

// fetch is call for a function that writes a number to its first argument, which args leaves out.
func fetch(f uintptr, args ...uintptr) (uint64, abi.Result) {
	m := borrow()
	defer m.giveBack()
	all := [mostArgs]uintptr{m.toFirst()}
	n := 1 + copy(all[1:], args)
	r := call(f, all[:n]...)
	return m.first, r
}

// fetchIn is in for such a function.
func fetchIn(ctx abi.Context, f uintptr, args ...uintptr) (uint64, abi.Result) {
	m := borrow()
	defer m.giveBack()
	all := [mostArgs]uintptr{m.toFirst()}
	n := 1 + copy(all[1:], args)
	r := in(ctx, f, all[:n]...)
	return m.first, r
}
