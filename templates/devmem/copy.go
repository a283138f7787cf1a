package devmem

import "github.com/poolgen/poolgen/cuda"

// CopyFrom copies the items of src to the start of the block, in the order of the stream. If src is page-locked or managed memory, such as that of a pinned
// pool, the call returns at once, and src must not change until the stream has done the copy. Otherwise the call waits for the copy. It is an
// error if src has more items than the block.
func (s Span) CopyFrom(src []Item, on cuda.Stream) error {
	return cuda.CopyFrom(s.Addr(), s.n, src, on)
}

// CopyTo copies len(dst) items from the start of the block to dst, in the order of the stream. The rules of CopyFrom for src apply to dst.
func (s Span) CopyTo(dst []Item, on cuda.Stream) error {
	return cuda.CopyTo(s.Addr(), s.n, dst, on)
}

// CopyPeer copies the items of src, a block on this or another device, to the start of the block, in the order of the stream. The stream may be
// of either device. It is an error if src has more items than the block.
func (s Span) CopyPeer(src Span, on cuda.Stream) error {
	return cuda.CopyBlock(s.Addr(), s.n, src.Addr(), src.n, src.Bytes(), on)
}

// Zero clears the block in the order of the stream.
func (s Span) Zero(on cuda.Stream) error { return cuda.ZeroBlock(s.Addr(), s.Bytes(), on) }

// CopyFrom copies an item to the device, in the order of the stream. If src is page-locked or managed memory, such as that of a pinned pool, the call
// returns at once, and the item must not change until the stream has done the copy. Otherwise the call waits for the copy.
func (p Ptr) CopyFrom(src *Item, on cuda.Stream) error {
	return cuda.CopyItemFrom(p.Addr(), src, on)
}

// CopyTo copies the item to dst, in the order of the stream. The rules of CopyFrom for src apply to dst.
func (p Ptr) CopyTo(dst *Item, on cuda.Stream) error {
	return cuda.CopyItemTo(p.Addr(), dst, on)
}

// CopyPeer copies the item at src, on this or another device, in the order of the stream. The stream may be of either device.
func (p Ptr) CopyPeer(src Ptr, on cuda.Stream) error {
	return cuda.CopyBlock(p.Addr(), 1, src.Addr(), 1, int64(ItemSize), on)
}

// Zero clears the item in the order of the stream.
func (p Ptr) Zero(on cuda.Stream) error { return cuda.ZeroBlock(p.Addr(), int64(ItemSize), on) }
