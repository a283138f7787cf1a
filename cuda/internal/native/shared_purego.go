//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// OpenShared opens a library by a path or a soname, or finds that the process has it.
func OpenShared(name string) (Shared, error) {
	runtime.LockOSThread() // the loader keeps its last message by thread
	defer runtime.UnlockOSThread()
	h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	return Shared{h}, err
}

// Symbol returns the address of a function, 0 if the library has none of that name.
func (l Shared) Symbol(name string) uintptr {
	f, _ := purego.Dlsym(l.handle, name)
	return f
}

// SharedPath returns the path of the library that a function is in, or name if the loader does not say.
func SharedPath(f uintptr, name string) string { return pathOf(f, name) }

// SharedCall calls a function whose parameters are numbers and addresses, at most 8, and whose result is an int.
func SharedCall(f uintptr, args ...uintptr) int32 { return int32(call(f, args...)) }

// SharedCallIn is SharedCall in a context, which is current meanwhile. r says whether the driver made it so.
func SharedCallIn(ctx abi.Context, f uintptr, args ...uintptr) (result int32, r abi.Result) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, r := enter(ctx)
	if r != abi.Success {
		return 0, r
	}
	result = SharedCall(f, args...)
	leave(ctx, before)
	return result, r
}

// SharedText calls a function that makes a text of a code. The text is not to be freed.
func SharedText(f uintptr, code int32) string {
	p, _, _ := purego.SyscallN(f, uintptr(code))
	return goString(*(**byte)(unsafe.Pointer(&p)))
}
