//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stddef.h>
// #include <stdint.h>
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/layout"
)

//export cuMemAllocAsync
func cuMemAllocAsync(to *C.uint64_t, bytes C.size_t, stream C.uint64_t) C.int {
	return getIn(to, func(ctx abi.Context) (abi.Ptr, abi.Result) {
		return driver.MemAllocAsync(ctx, uint64(bytes), abi.Stream(stream))
	})
}

//export cuMemAllocFromPoolAsync
func cuMemAllocFromPoolAsync(to *C.uint64_t, bytes C.size_t, pool, stream C.uint64_t) C.int {
	return getIn(to, func(ctx abi.Context) (abi.Ptr, abi.Result) {
		return driver.MemAllocFromPoolAsync(ctx, uint64(bytes), abi.Pool(pool), abi.Stream(stream))
	})
}

//export cuMemFreeAsync
func cuMemFreeAsync(p, stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.MemFreeAsync(ctx, abi.Ptr(p), abi.Stream(stream)) })
}

//export cuMemPoolCreate
func cuMemPoolCreate(to *C.uint64_t, props unsafe.Pointer) C.int {
	return get(to, func() (abi.Pool, abi.Result) {
		if props == nil {
			return 0, abi.InvalidValue
		}
		p := *(*layout.PoolProps)(props)
		return driver.MemPoolCreate(abi.PoolProps{
			Type: p.Kind, Handles: p.Handles, Location: p.Location.Kind, ID: p.Location.ID, MaxSize: p.MaxSize,
		})
	})
}

//export cuMemPoolDestroy
func cuMemPoolDestroy(pool C.uint64_t) C.int {
	return do(func() abi.Result { return driver.MemPoolDestroy(abi.Pool(pool)) })
}

//export cuMemPoolTrimTo
func cuMemPoolTrimTo(pool C.uint64_t, keep C.size_t) C.int {
	return do(func() abi.Result { return driver.MemPoolTrimTo(abi.Pool(pool), uint64(keep)) })
}

// narrow reports whether an attribute of a pool is an int; the others have 64 bits.
func narrow(attribute C.int) bool { return attribute <= abi.PoolReuseAllowInternalDependencies }

//export cuMemPoolGetAttribute
func cuMemPoolGetAttribute(pool C.uint64_t, attribute C.int, to unsafe.Pointer) C.int {
	ask := func() (uint64, abi.Result) { return driver.MemPoolGetAttribute(abi.Pool(pool), int32(attribute)) }
	if narrow(attribute) {
		return get((*C.int)(to), ask)
	}
	return get((*C.uint64_t)(to), ask)
}

//export cuMemPoolSetAttribute
func cuMemPoolSetAttribute(pool C.uint64_t, attribute C.int, from unsafe.Pointer) C.int {
	return do(func() abi.Result {
		if from == nil {
			return abi.InvalidValue
		}
		var value uint64
		if narrow(attribute) {
			value = uint64(*(*C.int)(from))
		} else {
			value = *(*uint64)(from)
		}
		return driver.MemPoolSetAttribute(abi.Pool(pool), int32(attribute), value)
	})
}

// eachAccess calls f for each of n descriptions of access rights, all of which have to be about devices.
func eachAccess(list unsafe.Pointer, n C.size_t, f func(dev int, access int32) abi.Result) abi.Result {
	if list == nil || n == 0 {
		return abi.InvalidValue
	}
	descs := unsafe.Slice((*layout.AccessDesc)(list), n)
	for _, d := range descs {
		if d.Location.Kind != abi.LocationDevice {
			return abi.NotSupported
		}
	}
	for _, d := range descs {
		if r := f(int(d.Location.ID), d.Flags); r != abi.Success {
			return r
		}
	}
	return abi.Success
}

//export cuMemPoolSetAccess
func cuMemPoolSetAccess(pool C.uint64_t, list unsafe.Pointer, n C.size_t) C.int {
	return do(func() abi.Result {
		return eachAccess(list, n, func(dev int, access int32) abi.Result {
			return driver.MemPoolSetAccess(abi.Pool(pool), dev, access)
		})
	})
}

//export cuMemPoolGetAccess
func cuMemPoolGetAccess(to *C.int, pool C.uint64_t, at unsafe.Pointer) C.int {
	return get(to, func() (int32, abi.Result) {
		if at == nil {
			return 0, abi.InvalidValue
		}
		l := *(*layout.Location)(at)
		if l.Kind != abi.LocationDevice {
			return 0, abi.NotSupported
		}
		return driver.MemPoolGetAccess(abi.Pool(pool), int(l.ID))
	})
}

//export cuMemPoolExportToShareableHandle
func cuMemPoolExportToShareableHandle(to *C.int, pool C.uint64_t, kind C.int, flags C.uint64_t) C.int {
	return get(to, func() (int, abi.Result) {
		if kind != abi.HandleFD || flags != 0 {
			return 0, abi.NotSupported
		}
		return driver.MemPoolExportFD(abi.Pool(pool))
	})
}

//export cuMemPoolImportFromShareableHandle
func cuMemPoolImportFromShareableHandle(to *C.uint64_t, from C.uint64_t, kind C.int, flags C.uint64_t) C.int {
	return get(to, func() (abi.Pool, abi.Result) {
		if kind != abi.HandleFD || flags != 0 {
			return 0, abi.NotSupported
		}
		return driver.MemPoolImportFD(int(int32(from)))
	})
}

//export cuMemPoolExportPointer
func cuMemPoolExportPointer(to unsafe.Pointer, p C.uint64_t) C.int {
	return do(func() abi.Result {
		if to == nil {
			return abi.InvalidValue
		}
		token, r := driver.MemPoolExportPointer(abi.Ptr(p))
		if r == abi.Success {
			*(*[64]byte)(to) = token
		}
		return r
	})
}

//export cuMemPoolImportPointer
func cuMemPoolImportPointer(to *C.uint64_t, pool C.uint64_t, token unsafe.Pointer) C.int {
	return get(to, func() (abi.Ptr, abi.Result) {
		if token == nil {
			return 0, abi.InvalidValue
		}
		return driver.MemPoolImportPointer(abi.Pool(pool), *(*[64]byte)(token))
	})
}
