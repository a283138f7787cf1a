package simulator

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

type sparse struct{}

func newSparse() sparse { return sparse{} }

func (d *Driver) ArrayCreateSparse(ctx abi.Context, a abi.ArrayDesc) (abi.Array, abi.Result) {
	return 0, abi.NotSupported
}
func (d *Driver) ArrayDestroy(abi.Context, abi.Array) abi.Result { return abi.NotSupported }
func (d *Driver) ArrayGetSparseProperties(abi.Context, abi.Array) (abi.SparseProps, abi.Result) {
	return abi.SparseProps{}, abi.NotSupported
}
func (d *Driver) MipmappedArrayCreateSparse(ctx abi.Context, a abi.ArrayDesc, levels uint32) (abi.Mipmap, abi.Result) {
	return 0, abi.NotSupported
}
func (d *Driver) MipmappedArrayDestroy(abi.Context, abi.Mipmap) abi.Result { return abi.NotSupported }
func (d *Driver) MipmappedArrayGetSparseProperties(abi.Context, abi.Mipmap) (abi.SparseProps, abi.Result) {
	return abi.SparseProps{}, abi.NotSupported
}
func (d *Driver) MipmappedArrayGetLevel(abi.Context, abi.Mipmap, uint32) (abi.Array, abi.Result) {
	return 0, abi.NotSupported
}
func (d *Driver) MemMapArrayAsync(ctx abi.Context, m []abi.ArrayMap, s abi.Stream) abi.Result {
	return abi.NotSupported
}
func (d *Driver) MemcpyToArray(ctx abi.Context, a abi.Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64) abi.Result {
	return abi.NotSupported
}
func (d *Driver) MemcpyFromArray(ctx abi.Context, dst unsafe.Pointer, pitch uint64, a abi.Array, x, y, widthBytes, height uint64) abi.Result {
	return abi.NotSupported
}
