package cuda

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// The functions of this file are for generated pools.

// CheckBlock refuses the zero block with an error that matches poolrt.ErrForeign, and more items than the block has room for with one that matches
// poolrt.ErrBadSize.
func CheckBlock(op string, block DevicePtr, items, room int) error {
	switch {
	case block == 0:
		return misuse(op, poolrt.ErrForeign, "there is no block: its address is 0")
	case items > room:
		return misuse(op, poolrt.ErrBadSize, fmt.Sprintf("%d items, and the block has room for %d", items, room))
	}
	return nil
}

// NilItem is the error of a copy from or to a nil pointer. It matches poolrt.ErrBadSize.
func NilItem(op string) error {
	return misuse(op, poolrt.ErrBadSize, "the pointer to the item in Go's memory is nil")
}

// misuse makes the error of an argument that is wrong whatever the driver says, and that pools have an error for.
func misuse(op string, kind error, detail string) error {
	return &Error{Op: op, Code: ResultInvalidValue, Device: nowhere, Detail: detail, kind: kind}
}

// CopyAcross copies n bytes in the order of the stream, from and to whichever devices the addresses lie on.
func CopyAcross(dst, src DevicePtr, n int64, s Stream) error {
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

// Device asks the driver which device an address lies on.
func (p DevicePtr) Device() (Device, error) {
	n, r := driver.Table().PointerGetDevice(abi.Ptr(p))
	if r == abi.Success && n < 0 {
		return nowhere, refuse("PointerGetAttribute", nowhere, 0, "the address is of the host's memory")
	}
	return Device(n), check(r, "PointerGetAttribute", nowhere, 0)
}
