package poolimpl

import (
	"fmt"
	"strings"
	"unsafe"
)

// guardedBlock is a block with pages of its own, and later another one there. The fields are guarded by the mu of guards.
type guardedBlock struct {
	addr, bytes          uint64
	seat                 foundBlock // its place in a chunk
	pages                Chunk
	allocatedAt, freedAt callTrace
}

// freed reports whether the block was freed.
func (b *guardedBlock) freed() bool { return len(b.freedAt.stack) > 0 }

// start returns the address of the block, and found returns it as a block of the engine.
func (b *guardedBlock) start() unsafe.Pointer { return unsafe.Add(b.pages.Ptr, b.addr-b.pages.Addr) }

func (b *guardedBlock) found() foundBlock {
	return foundBlock{Ptr: b.start(), Addr: b.addr, Origin: b.seat.Origin, Offset: b.seat.Offset}
}

// lay decides where in its pages a block lies: at the start or, as closely as its alignment allows, at the end. It fills the rest with the value of red zones:
// what is there may have been written while the block before was being freed.
func (b *guardedBlock) lay(bytes, align uint64) {
	b.addr, b.bytes = b.pages.Addr, bytes
	if uniform() < 0.5 {
		b.addr += uint64(b.pages.Size) - (b.bytes+align-1)&^(align-1)
	}
	for _, zone := range b.zones() {
		fill(zone, fillZone)
	}
}

// zones returns the bytes in front of the block and behind it.
func (b *guardedBlock) zones() [2][]byte {
	all, at := unsafeBytes(b.pages.Ptr, b.pages.Size), b.addr-b.pages.Addr
	return [2][]byte{all[:at], all[at+b.bytes:]}
}

// place says where an address lies in relation to a block.
func (b *guardedBlock) place(addr uint64) string {
	switch {
	case addr < b.addr:
		return fmt.Sprintf(" is %d before a guarded block", b.addr-addr)
	case addr >= b.addr+b.bytes:
		return fmt.Sprintf(" is byte %d of a guarded block of %d", addr-b.addr, b.bytes)
	case b.freed():
		return fmt.Sprintf(" is byte %d of a guarded block that was freed", addr-b.addr)
	}
	return fmt.Sprintf(" is byte %d of a guarded block", addr-b.addr)
}

// part says why a free of an address with a length is not that of the block.
func (b *guardedBlock) part(addr, bytes uint64) string {
	if addr == b.addr {
		return fmt.Sprintf(", freed with %d bytes: the block that begins there was handed out with another length"+wholeSlice, int64(bytes))
	}
	return b.place(addr)
}

// text describes a block and the calls that allocated and freed it.
func (b *guardedBlock) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "\n  guarded block at %#x of %d bytes", b.addr, b.bytes)
	b.allocatedAt.write(&s, "handed out")
	if b.freed() {
		b.freedAt.write(&s, "freed")
	}
	return s.String()
}
