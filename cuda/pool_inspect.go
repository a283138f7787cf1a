package cuda

import (
	"errors"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// inspector is the runtime.Inspector of a device. It works on the stream that pools have for themselves, so no stream of the program is waited for.
type inspector struct{ *timeline }

// Fill fills memory.
func (i inspector) Fill(addr, bytes uint64, value byte) error {
	return i.aside("MemsetD8Async", bytes, func(s abi.Stream) abi.Result {
		return i.drv.MemsetD8Async(i.ctx, abi.Ptr(addr), value, bytes, s)
	})
}

// Read copies from memory.
func (i inspector) Read(dst []byte, addr uint64) error {
	return i.aside("MemcpyDtoHAsync", uint64(len(dst)), func(s abi.Stream) abi.Result {
		return i.drv.MemcpyDtoHAsync(i.ctx, bytesAt(dst), abi.Ptr(addr), uint64(len(dst)), s)
	})
}

// aside has the pools' own stream do something, and waits for it. The simulator's checker, which is told what the program has, looks away.
func (i inspector) aside(name string, bytes uint64, do func(abi.Stream) abi.Result) error {
	s, err := i.stream()
	if err != nil {
		return err
	}
	if checker, ok := i.drv.(interface{ Overlook(abi.Stream, bool) }); ok {
		checker.Overlook(s, true)
		defer checker.Overlook(s, false)
	}
	err = check(do(s), name, i.dev, int64(bytes))
	return errors.Join(err, i.cleared())
}
