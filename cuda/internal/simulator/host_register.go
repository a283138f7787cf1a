package simulator

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// registerFlags are all flags of cuMemHostRegister: portable, mapped, of a device, read-only.
const registerFlags = 0xF

// MemHostRegister makes memory of the program known to the devices, at the same address.
func (d *Driver) MemHostRegister(ctx abi.Context, p unsafe.Pointer, bytes uint64, flags uint32) abi.Result {
	c, r := d.beginIn("cuMemHostRegister", ctx)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return r
	case p == nil, bytes == 0, bytes >= 1<<47, flags&^registerFlags != 0:
		return abi.InvalidValue
	}
	at := addressOf(p)
	if i := d.find(at); i < len(d.spans) && d.spans[i].base < at+abi.Ptr(bytes) {
		return abi.HostAlreadyRegistered
	}
	memory := unsafe.Slice((*byte)(p), bytes)
	d.place(&span{base: at, size: bytes, kind: KindRegistered, store: d.hostStore(memory), dev: c.dev, ctx: c})
	d.born(KindRegistered, uint64(at), bytes)
	return abi.Success
}

// MemHostUnregister undoes MemHostRegister, of any context. Queued work that uses the memory fails.
func (d *Driver) MemHostUnregister(ctx abi.Context, p unsafe.Pointer) abi.Result {
	_, r := d.beginIn("cuMemHostUnregister", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	s := d.starting(addressOf(p))
	if s == nil || s.kind != KindRegistered {
		d.badRelease("cuMemHostUnregister", uint64(uintptr(p)))
		return abi.HostNotRegistered
	}
	d.freeSpan(s)
	return abi.Success
}
