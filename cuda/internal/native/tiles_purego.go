//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/layout"
)

// arrayMapOf returns a binding in the driver's layout.
func arrayMapOf(m *abi.ArrayMap) layout.ArrayMap {
	out := layout.ArrayMap{
		ResourceType: abi.ResourceArray,
		Resource:     uint64(m.Array),
		Operation:    abi.OperationMap,
		Memory:       uint64(m.Memory),
		Offset:       m.Offset,
		Devices:      m.DeviceMask,
	}
	if m.Mipmap != 0 {
		out.ResourceType, out.Resource = abi.ResourceMipmap, uint64(m.Mipmap)
	}
	if m.Unmap {
		out.Operation, out.Memory, out.Offset = abi.OperationUnmap, 0, 0
	}
	if m.Tail {
		out.SubresourceType = abi.SparseTail
		*(*layout.SparseTail)(unsafe.Pointer(&out.Where)) = layout.SparseTail{Layer: m.Layer, Offset: m.TailOffset, Size: m.TailSize}
		return out
	}
	out.SubresourceType = abi.SparseLevel
	*(*layout.SparseRegion)(unsafe.Pointer(&out.Where)) = layout.SparseRegion{
		Level: m.Level, Layer: m.Layer, X: m.X, Y: m.Y, Z: m.Z, Width: m.Width, Height: m.Height, Depth: m.Depth,
	}
	return out
}
