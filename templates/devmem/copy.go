package devmem

import "github.com/poolgen/poolgen/cuda"

// CopyFrom copies items from src to the start of the block, in the order of the stream. Where src lies in page-locked memory, such as
// that of a pinned pool, it returns at once and src must stay as it is until the stream has passed; else it waits for that.
// More items than the block has are refused.
func (s Span) CopyFrom(src []Item, on cuda.Stream) error {
	return cuda.CopyFrom(s.Addr(), s.n, src, on)
}

// CopyTo copies items from the start of the block to dst, as many as it has, in the order of the stream. What CopyFrom says of
// src holds for dst.
func (s Span) CopyTo(dst []Item, on cuda.Stream) error {
	return cuda.CopyTo(s.Addr(), s.n, dst, on)
}

// CopyPeer copies the items of src, a block on this or another device, to the start of the block, in the order of the stream, which may be
// of either device. More items than the block has are refused.
func (s Span) CopyPeer(src Span, on cuda.Stream) error {
	return cuda.CopyBlock(s.Addr(), s.n, src.Addr(), src.n, src.Bytes(), on)
}

// Zero clears the block in the order of the stream.
func (s Span) Zero(on cuda.Stream) error { return cuda.ZeroBlock(s.Addr(), s.Bytes(), on) }

// CopyFrom copies one item to the device, in the order of the stream. Where src lies in page-locked memory, such as that of a pinned pool, it
// returns at once and src must stay as it is until the stream has passed; else it waits for that.
func (p Ptr) CopyFrom(src *Item, on cuda.Stream) error {
	return cuda.CopyItemFrom(p.Addr(), src, on)
}

// CopyTo copies the item to dst, in the order of the stream. What CopyFrom says of src holds for dst.
func (p Ptr) CopyTo(dst *Item, on cuda.Stream) error {
	return cuda.CopyItemTo(p.Addr(), dst, on)
}

// CopyPeer copies the item at src, on this or another device, in the order of the stream, which may be of either device.
func (p Ptr) CopyPeer(src Ptr, on cuda.Stream) error {
	return cuda.CopyBlock(p.Addr(), 1, src.Addr(), 1, int64(ItemSize), on)
}

// Zero clears the item in the order of the stream.
func (p Ptr) Zero(on cuda.Stream) error { return cuda.ZeroBlock(p.Addr(), int64(ItemSize), on) }
