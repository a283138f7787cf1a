//go:build cgo && linux && (amd64 || arm64)

package native

// #include "layout.h"
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// arrayMap writes a binding in the driver's layout. In Go, the union is bytes.
func arrayMap(m *abi.ArrayMap) C.struct_array_map {
	out := C.struct_array_map{
		resource_type: abi.ResourceArray,
		resource:      C.uint64_t(m.Array),
		operation:     abi.OperationMap,
		memory:        C.uint64_t(m.Memory),
		offset:        C.uint64_t(m.Offset),
		devices:       C.uint32_t(m.DeviceMask),
	}
	if m.Mipmap != 0 {
		out.resource_type, out.resource = abi.ResourceMipmap, C.uint64_t(m.Mipmap)
	}
	if m.Unmap {
		out.operation, out.memory, out.offset = abi.OperationUnmap, 0, 0
	}
	if m.Tail {
		out.subresource_type = abi.SparseTail
		*(*C.struct_sparse_tail)(unsafe.Pointer(&out.where)) = C.struct_sparse_tail{
			layer: C.uint32_t(m.Layer), offset: C.uint64_t(m.TailOffset), size: C.uint64_t(m.TailSize),
		}
		return out
	}
	out.subresource_type = abi.SparseLevel
	*(*C.struct_sparse_region)(unsafe.Pointer(&out.where)) = C.struct_sparse_region{
		level: C.uint32_t(m.Level), layer: C.uint32_t(m.Layer),
		x: C.uint32_t(m.X), y: C.uint32_t(m.Y), z: C.uint32_t(m.Z),
		width: C.uint32_t(m.Width), height: C.uint32_t(m.Height), depth: C.uint32_t(m.Depth),
	}
	return out
}
