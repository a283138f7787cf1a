package devmem

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda"
)

// CopyFrom copies items from src to the start of the block, in the order of the stream. Where src lies in page-locked memory, such as
// that of a pinned pool, it returns at once and src must stay as it is until the stream has passed; else it waits for that.
// More items than the block has are refused.
func (s Span) CopyFrom(src []Item, on cuda.Stream) error {
	if err := cuda.CheckBlock("CopyFrom", s.Addr(), len(src), s.n); err != nil {
		return err
	}
	return cuda.CopyToDeviceAsync(s.Addr(), bytesOf(src), on)
}

// CopyTo copies items from the start of the block to dst, as many as it has, in the order of the stream. What CopyFrom says of
// src holds for dst.
func (s Span) CopyTo(dst []Item, on cuda.Stream) error {
	if err := cuda.CheckBlock("CopyTo", s.Addr(), len(dst), s.n); err != nil {
		return err
	}
	return cuda.CopyToHostAsync(bytesOf(dst), s.Addr(), on)
}

// CopyPeer copies the items of src, a block on this or another device, to the start of the block, in the order of the stream, which may be
// of either device. More items than the block has are refused.
func (s Span) CopyPeer(src Span, on cuda.Stream) error {
	if err := cuda.CheckBlock("CopyPeer", s.Addr(), src.n, s.n); err != nil {
		return err
	}
	if err := cuda.CheckBlock("CopyPeer", src.Addr(), 0, 0); err != nil {
		return err
	}
	return cuda.CopyAcross(s.Addr(), src.Addr(), src.Bytes(), on)
}

// Zero clears the block in the order of the stream.
func (s Span) Zero(on cuda.Stream) error {
	if err := cuda.CheckBlock("Zero", s.Addr(), 0, 0); err != nil {
		return err
	}
	return cuda.MemsetAsync(s.Addr(), 0, s.Bytes(), on)
}

// CopyFrom copies one item to the device, in the order of the stream. Where src lies in page-locked memory, such as that of a pinned pool, it
// returns at once and src must stay as it is until the stream has passed; else it waits for that.
func (p Ptr) CopyFrom(src *Item, on cuda.Stream) error {
	if src == nil {
		return cuda.NilItem("CopyFrom")
	}
	if err := cuda.CheckBlock("CopyFrom", p.Addr(), 1, 1); err != nil {
		return err
	}
	return cuda.CopyToDeviceAsync(p.Addr(), bytesOf(unsafe.Slice(src, 1)), on)
}

// CopyTo copies the item to dst, in the order of the stream. What CopyFrom says of src holds for dst.
func (p Ptr) CopyTo(dst *Item, on cuda.Stream) error {
	if dst == nil {
		return cuda.NilItem("CopyTo")
	}
	if err := cuda.CheckBlock("CopyTo", p.Addr(), 1, 1); err != nil {
		return err
	}
	return cuda.CopyToHostAsync(bytesOf(unsafe.Slice(dst, 1)), p.Addr(), on)
}

// CopyPeer copies the item at src, on this or another device, in the order of the stream, which may be of either device.
func (p Ptr) CopyPeer(src Ptr, on cuda.Stream) error {
	for _, at := range [...]Ptr{p, src} {
		if err := cuda.CheckBlock("CopyPeer", at.Addr(), 1, 1); err != nil {
			return err
		}
	}
	return cuda.CopyAcross(p.Addr(), src.Addr(), int64(ItemSize), on)
}

// Zero clears the item in the order of the stream.
func (p Ptr) Zero(on cuda.Stream) error {
	if err := cuda.CheckBlock("Zero", p.Addr(), 1, 1); err != nil {
		return err
	}
	return cuda.MemsetAsync(p.Addr(), 0, int64(ItemSize), on)
}

// bytesOf views items as bytes.
func bytesOf(items []Item) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(items))), uint64(len(items))*ItemSize)
}
