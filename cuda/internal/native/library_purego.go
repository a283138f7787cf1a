//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"bytes"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Backend says how this program calls the driver.
const Backend = "purego"

// load opens one library, resolves the functions and initialises the driver. The library stays open even after a failure of cuInit, because it may have
// started threads.
func load(name string) abi.Status {
	runtime.LockOSThread() // the loader keeps its last message by thread
	defer runtime.UnlockOSThread()
	library, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return abi.Status{Result: abi.NoLibrary, Path: name, Message: err.Error()}
	}
	if missing := resolve(library); missing != "" {
		clear(addresses())
		return abi.Status{Result: abi.NoFunction, Path: name, Message: missing}
	}
	s := abi.Status{Path: pathOf(table.cuInit, name)}
	if s.Result = call(table.cuInit, 0); s.Result != abi.Success {
		s.Message = text(table.cuGetErrorString, s.Result)
		clear(addresses())
	}
	return s
}

// addresses returns the fields of table, in their order.
func addresses() []uintptr {
	return unsafe.Slice((*uintptr)(unsafe.Pointer(&table)), reflect.TypeOf(table).NumField())
}

// resolve finds all functions, or names the first required one that is missing.
func resolve(library uintptr) (missing string) {
	fields, slots := reflect.TypeOf(table), addresses()
	for i := range slots {
		tag := fields.Field(i).Tag
		f, err := purego.Dlsym(library, tag.Get("symbol"))
		if err != nil && tag.Get("need") == "required" {
			return tag.Get("symbol")
		}
		slots[i] = f
	}
	return ""
}

// pathOf returns the path of the library that a function is in, or name if the loader does not say.
func pathOf(f uintptr, name string) string {
	dladdr, err := purego.Dlsym(purego.RTLD_DEFAULT, "dladdr")
	if err != nil {
		return name
	}
	var where struct { // Dl_info
		path       *byte
		base       uintptr
		symbol     *byte
		symbolAddr uintptr
	}
	found, _, _ := purego.SyscallN(dladdr, f, uintptr(unsafe.Pointer(&where)))
	if int32(found) == 0 || where.path == nil {
		return name
	}
	return goString(where.path)
}

// Has reports whether the library has a function.
func (Driver) Has(function string) bool {
	f, ok := reflect.TypeOf(table).FieldByName(function)
	return ok && addresses()[f.Index[0]] != 0
}

// DriverGetVersion returns the version of CUDA that the driver supports: 1000 times the major plus 10 times the minor version.
func (Driver) DriverGetVersion() (int, abi.Result) {
	v, r := fetch(table.cuDriverGetVersion)
	return int(int32(v)), r
}

// GetErrorName returns the constant's name in the driver's header, "" for unknown codes.
func (Driver) GetErrorName(r abi.Result) string { return text(table.cuGetErrorName, r) }

// GetErrorString returns the driver's description.
func (Driver) GetErrorString(r abi.Result) string { return text(table.cuGetErrorString, r) }

// text returns the text of a code.
func text(f uintptr, code abi.Result) string {
	m := borrow()
	defer m.giveBack()
	if call(f, uintptr(code), m.toFirst()) != abi.Success {
		return ""
	}
	return goString((*byte)(pointer(m.first)))
}

// goString copies a text of C.
func goString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// terminated returns a text for C.
func terminated(s string) *byte { return &append([]byte(s), 0)[0] }

// untilZero returns the text in a buffer that C has written.
func untilZero(b []byte) string {
	before, _, _ := bytes.Cut(b, []byte{0})
	return string(before)
}
