package poolimpl

import "unsafe"

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
