//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"bytes"
	"sync"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// ModuleLoadData compiles PTX, or loads a binary for the device.
func (Driver) ModuleLoadData(ctx abi.Context, image []byte) (abi.Module, string, abi.Result) {
	source := append(bytes.Clone(image), 0) // PTX ends with a zero; a binary contains its length
	log := make([]byte, 8<<10)
	options := [...]int32{abi.JITErrorLog, abi.JITErrorLogBytes}
	values := struct { // each in the place of a pointer
		log   *byte
		bytes uintptr
	}{&log[0], uintptr(len(log) - 1)}
	m := borrow()
	defer m.giveBack()
	module, r := fetchIn(ctx, table.cuModuleLoadDataEx, m.hold(unsafe.Pointer(&source[0])), uintptr(len(options)),
		m.hold(unsafe.Pointer(&options)), m.hold(unsafe.Pointer(&values)))
	return abi.Module(module), untilZero(log), r
}

// ModuleUnload unloads the module and its kernels.
func (Driver) ModuleUnload(ctx abi.Context, m abi.Module) abi.Result {
	return in(ctx, table.cuModuleUnload, uintptr(m))
}

// ModuleGetFunction returns a kernel by its name in PTX.
func (Driver) ModuleGetFunction(ctx abi.Context, module abi.Module, name string) (abi.Function, abi.Result) {
	m := borrow()
	defer m.giveBack()
	f, r := fetchIn(ctx, table.cuModuleGetFunction, uintptr(module), m.hold(unsafe.Pointer(terminated(name))))
	return abi.Function(f), r
}

// launch is the memory of a kernel's arguments: their values packed, and the address of each. A launch within it allocates nothing.
type launch struct {
	packed [4096]byte
	params [64]unsafe.Pointer
}

var launches = sync.Pool{New: func() any { return new(launch) }}

const (
	mostParams = 1024 // a driver's kernels have fewer
	align      = 16
)

// LaunchKernel copies the arguments: they may change after it has returned.
func (Driver) LaunchKernel(ctx abi.Context, f abi.Function, grid, block [3]uint32, shared uint32, s abi.Stream, params [][]byte) abi.Result {
	if len(params) > mostParams {
		return abi.InvalidValue
	}
	m := borrow()
	defer m.giveBack()
	l := launches.Get().(*launch)
	defer launches.Put(l)
	return in(ctx, table.cuLaunchKernel, uintptr(f), uintptr(grid[0]), uintptr(grid[1]), uintptr(grid[2]),
		uintptr(block[0]), uintptr(block[1]), uintptr(block[2]), uintptr(shared), uintptr(s), m.hold(unsafe.Pointer(l.pack(params))), 0)
}

// pack copies the arguments and returns the list of their addresses; nil: there are none.
func (l *launch) pack(params [][]byte) *unsafe.Pointer {
	if len(params) == 0 {
		return nil
	}
	size := 0
	for _, p := range params {
		size += aligned(len(p))
	}
	packed, list := l.packed[:], l.params[:0]
	if size > len(packed) {
		packed = make([]byte, size)
	}
	for _, p := range params {
		list = append(list, unsafe.Pointer(unsafe.SliceData(packed)))
		copy(packed, p)
		packed = packed[aligned(len(p)):]
	}
	return &list[0]
}

func aligned(bytes int) int { return (bytes + align - 1) &^ (align - 1) }
