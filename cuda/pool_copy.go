package cuda

import (
	"fmt"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// The functions of this file are for generated pools.

// CopyFrom copies the items of src to the start of a block with room for n items.
func CopyFrom[T any](block DevicePtr, room int, src []T, s Stream) error {
	if err := checkBlock("CopyFrom", block, len(src), room); err != nil {
		return err
	}
	return CopyToDeviceAsync(block, bytesOf(src), s)
}

// CopyItemFrom copies one item to a block.
func CopyItemFrom[T any](block DevicePtr, src *T, s Stream) error {
	if src == nil {
		return nilItem("CopyFrom")
	}
	return CopyFrom(block, 1, unsafe.Slice(src, 1), s)
}

// CopyTo copies len(dst) items to dst from the start of a block with n items.
func CopyTo[T any](block DevicePtr, items int, dst []T, s Stream) error {
	if err := checkBlock("CopyTo", block, len(dst), items); err != nil {
		return err
	}
	return CopyToHostAsync(bytesOf(dst), block, s)
}

// CopyItemTo copies one item from a block.
func CopyItemTo[T any](block DevicePtr, dst *T, s Stream) error {
	if dst == nil {
		return nilItem("CopyTo")
	}
	return CopyTo(block, 1, unsafe.Slice(dst, 1), s)
}

// CopyBlock copies a block to the start of another block. The two may be on different devices.
func CopyBlock(dst DevicePtr, room int, src DevicePtr, items int, n int64, s Stream) error {
	const op = "CopyPeer"
	if err := checkBlock(op, dst, items, room); err != nil {
		return err
	}
	if err := checkBlock(op, src, 0, 0); err != nil {
		return err
	}
	to, err := dst.Device()
	if err != nil {
		return err
	}
	from, err := src.Device()
	if err != nil {
		return err
	}
	if to == from && to == s.device {
		return CopyDeviceAsync(dst, src, n, s)
	}
	return CopyPeer(dst, to, src, from, n, s)
}

// ZeroBlock clears a block of n bytes.
func ZeroBlock(block DevicePtr, n int64, s Stream) error {
	if err := checkBlock("Zero", block, 0, 0); err != nil {
		return err
	}
	return MemsetAsync(block, 0, n, s)
}

// bytesOf views items as bytes.
func bytesOf[T any](items []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(items))), uintptr(len(items))*unsafe.Sizeof(*new(T)))
}

// checkBlock returns an error that matches poolrt.ErrForeign for the zero block, and one that matches poolrt.ErrBadSize
// for more items than the block has room for.
func checkBlock(op string, block DevicePtr, items, room int) error {
	switch {
	case block == 0:
		return misuse(op, poolrt.ErrForeign, "there is no block: its address is 0")
	case items > room:
		return misuse(op, poolrt.ErrBadSize, fmt.Sprintf("%d items, and the block has room for %d", items, room))
	}
	return nil
}

// nilItem is the error of a copy from or to a nil pointer. It matches poolrt.ErrBadSize.
func nilItem(op string) error {
	return misuse(op, poolrt.ErrBadSize, "the pointer to the item in Go's memory is nil")
}

// misuse returns the error of a wrong argument, which matches an error of package runtime.
func misuse(op string, kind error, detail string) error {
	return &Error{Op: op, Code: ResultInvalidValue, Device: nowhere, Detail: detail, kind: kind}
}

// Device queries the driver for the device of an address.
func (p DevicePtr) Device() (Device, error) {
	n, r := driver.Table().PointerGetDevice(abi.Ptr(p))
	if r == abi.Success && n < 0 {
		return nowhere, refuse(opPointerDevice, nowhere, 0, "the address is of the host's memory")
	}
	return Device(n), check(r, opPointerDevice, nowhere, 0)
}

const opPointerDevice = "PointerGetAttribute"
