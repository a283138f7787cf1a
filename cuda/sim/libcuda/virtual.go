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

//export cuMemAddressReserve
func cuMemAddressReserve(to *C.uint64_t, bytes, align C.size_t, _ C.uint64_t, flags C.uint64_t) C.int { // the address wished for is a hint
	return get(to, func() (abi.Ptr, abi.Result) {
		if flags != 0 {
			return 0, abi.InvalidValue
		}
		return driver.MemAddressReserve(uint64(bytes), uint64(align))
	})
}

//export cuMemAddressFree
func cuMemAddressFree(p C.uint64_t, bytes C.size_t) C.int {
	return do(func() abi.Result { return driver.MemAddressFree(abi.Ptr(p), uint64(bytes)) })
}

// memoryProps reads a description of memory.
func memoryProps(at unsafe.Pointer) (abi.MemoryProps, abi.Result) {
	if at == nil {
		return abi.MemoryProps{}, abi.InvalidValue
	}
	p := *(*layout.AllocationProps)(at)
	if p.Kind != abi.AllocationPinned {
		return abi.MemoryProps{}, abi.InvalidValue
	}
	return abi.MemoryProps{Handles: p.Handles, Location: p.Location.Kind, ID: p.Location.ID, TilePool: p.Usage&abi.UsageTilePool != 0, RDMA: p.RDMA != 0}, abi.Success
}

//export cuMemGetAllocationGranularity
func cuMemGetAllocationGranularity(to *C.size_t, props unsafe.Pointer, which C.int) C.int {
	return get(to, func() (uint64, abi.Result) {
		p, r := memoryProps(props)
		if r != abi.Success {
			return 0, r
		}
		return driver.MemGetAllocationGranularity(p, which != 0)
	})
}

//export cuMemCreate
func cuMemCreate(to *C.uint64_t, bytes C.size_t, props unsafe.Pointer, flags C.uint64_t) C.int {
	return get(to, func() (abi.Memory, abi.Result) {
		p, r := memoryProps(props)
		if r == abi.Success && flags != 0 {
			r = abi.InvalidValue
		}
		if r != abi.Success {
			return 0, r
		}
		return driver.MemCreate(uint64(bytes), p)
	})
}

//export cuMemRelease
func cuMemRelease(memory C.uint64_t) C.int {
	return do(func() abi.Result { return driver.MemRelease(abi.Memory(memory)) })
}

//export cuMemMap
func cuMemMap(at C.uint64_t, bytes, offset C.size_t, memory, flags C.uint64_t) C.int {
	return do(func() abi.Result {
		if flags != 0 {
			return abi.InvalidValue
		}
		return driver.MemMap(abi.Ptr(at), uint64(bytes), uint64(offset), abi.Memory(memory))
	})
}

//export cuMemUnmap
func cuMemUnmap(at C.uint64_t, bytes C.size_t) C.int {
	return do(func() abi.Result { return driver.MemUnmap(abi.Ptr(at), uint64(bytes)) })
}

//export cuMemSetAccess
func cuMemSetAccess(at C.uint64_t, bytes C.size_t, list unsafe.Pointer, n C.size_t) C.int {
	return do(func() abi.Result {
		return eachAccess(list, n, func(dev int, access int32) abi.Result {
			return driver.MemSetAccess(abi.Ptr(at), uint64(bytes), dev, access)
		})
	})
}

//export cuMemExportToShareableHandle
func cuMemExportToShareableHandle(to *C.int, memory C.uint64_t, kind C.int, flags C.uint64_t) C.int {
	return get(to, func() (int, abi.Result) {
		if kind != abi.HandleFD || flags != 0 {
			return 0, abi.NotSupported
		}
		return driver.MemExportFD(abi.Memory(memory))
	})
}

//export cuMemImportFromShareableHandle
func cuMemImportFromShareableHandle(to *C.uint64_t, from C.uint64_t, kind C.int) C.int {
	return get(to, func() (abi.Memory, abi.Result) {
		if kind != abi.HandleFD {
			return 0, abi.NotSupported
		}
		return driver.MemImportFD(int(int32(from)))
	})
}
