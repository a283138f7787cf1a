package cuda

import (
	"reflect"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// CopyToDevice copies src, which may be any memory, to dst and returns when src may be reused; work that is queued on the legacy
// default stream afterwards sees the copy. It does not wait for work in streams made with [NonBlocking]. If src is empty, it does
// nothing.
//
// The items of src are copied as they are in memory, with the padding of structs. T is a number, a bool, or an array or struct of such, as the
// arguments of [Kernel.Launch]: other types, which may hold Go pointers, are refused.
func CopyToDevice[T any](dst DevicePtr, src []T) error {
	const op = "MemcpyHtoD"
	b, err := plainBytes(op, src)
	if err != nil || len(b) == 0 {
		return err
	}
	d, t, ctx, err := dst.table()
	if err != nil {
		return err
	}
	return check(t.MemcpyHtoD(ctx, abi.Ptr(dst), bytesAt(b), uint64(len(b))), op, d, int64(len(b)))
}

// CopyToHost copies len(dst) items to dst, which may be any memory, and returns when they are there. T is as in CopyToDevice.
func CopyToHost[T any](dst []T, src DevicePtr) error {
	const op = "MemcpyDtoH"
	b, err := plainBytes(op, dst)
	if err != nil || len(b) == 0 {
		return err
	}
	d, t, ctx, err := src.table()
	if err != nil {
		return err
	}
	return check(t.MemcpyDtoH(ctx, bytesAt(b), abi.Ptr(src), uint64(len(b))), op, d, int64(len(b)))
}

// plainBytes views items as bytes. It refuses types that are not made of numbers only.
func plainBytes[T any](op string, items []T) ([]byte, error) {
	if b, ok := any(items).([]byte); ok {
		return b, nil
	}
	if err := onlyNumbers(reflect.TypeFor[T]()); err != nil {
		return nil, refuse(op, nowhere, 0, err.Error())
	}
	return bytesOf(items), nil
}

// CopyDevice copies n bytes within or between devices in the order of the legacy default stream of dst's device. It may return
// before they are there.
func CopyDevice(dst, src DevicePtr, n int64) error {
	const op = "MemcpyDtoD"
	if n == 0 {
		return nil
	}
	d, t, ctx, err := dst.sized(op, n)
	if err != nil {
		return err
	}
	return check(t.MemcpyDtoD(ctx, abi.Ptr(dst), abi.Ptr(src), uint64(n)), op, d, n)
}

// Memset sets n bytes to a value, in the order of the legacy default stream. It may return before they are set.
func Memset(p DevicePtr, value byte, n int64) error {
	const op = "MemsetD8"
	if n == 0 {
		return nil
	}
	d, t, ctx, err := p.sized(op, n)
	if err != nil {
		return err
	}
	return check(t.MemsetD8(ctx, abi.Ptr(p), value, uint64(n)), op, d, n)
}

// table finds the device that an address lies on, and its context. Calls without a stream do not name the device; querying the driver costs less than
// a tenth of the shortest copy.
func (p DevicePtr) table() (Device, abi.Driver, abi.Context, error) {
	n, r := driver.Table().PointerGetDevice(abi.Ptr(p))
	switch {
	case r != abi.Success && r != abi.InvalidValue:
		return nowhere, nil, 0, check(r, opPointerDevice, nowhere, 0)
	case r != abi.Success || n < 0:
		n = 0 // the copy itself reports a wrong address
	}
	d := Device(n)
	t, ctx, err := d.table()
	return d, t, ctx, err
}

func (p DevicePtr) sized(op string, n int64) (Device, abi.Driver, abi.Context, error) {
	if n < 0 {
		return 0, nil, 0, refuse(op, nowhere, n, "the size is negative")
	}
	return p.table()
}

func bytesAt(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
