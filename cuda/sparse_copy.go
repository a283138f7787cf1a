package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// Write copies rows of texels, without gaps, to a rectangle of level 0; it returns when they are there.
func (a SparseArray) Write(x, y, width, height int, src []byte) error {
	const op = "Memcpy2D"
	t, ctx, column, row, err := a.rectangle(op, x, y, width, height, src)
	if err != nil {
		return err
	}
	r := t.MemcpyToArray(ctx, a.array, column, uint64(y), row, uint64(height), bytesAt(src), row)
	return check(r, op, a.device, int64(len(src)))
}

// Read copies a rectangle of level 0 to rows of texels.
func (a SparseArray) Read(dst []byte, x, y, width, height int) error {
	const op = "Memcpy2D"
	t, ctx, column, row, err := a.rectangle(op, x, y, width, height, dst)
	if err != nil {
		return err
	}
	r := t.MemcpyFromArray(ctx, bytesAt(dst), row, a.array, column, uint64(y), row, uint64(height))
	return check(r, op, a.device, int64(len(dst)))
}

// WriteAsync copies rows of texels, without gaps, to a rectangle of level 0, in the order of the stream. The rules of [CopyToDeviceAsync] for
// src apply. Texels of tiles without memory when the stream reaches the copy are lost.
func (a SparseArray) WriteAsync(x, y, width, height int, src []byte, s Stream) error {
	const op = "Memcpy2DAsync"
	_, _, column, row, err := a.rectangle(op, x, y, width, height, src)
	if err != nil {
		return err
	}
	return s.copyHost(op, src, func(t abi.Driver, ctx abi.Context, h abi.Stream) abi.Result {
		return t.MemcpyToArrayAsync(ctx, a.array, column, uint64(y), row, uint64(height), bytesAt(src), row, h)
	})
}

// ReadAsync copies a rectangle of level 0 to rows of texels, in the order of the stream. The rules of [CopyToDeviceAsync] for src apply to
// dst. Tiles without memory when the stream reaches the copy read as 0.
func (a SparseArray) ReadAsync(dst []byte, x, y, width, height int, s Stream) error {
	const op = "Memcpy2DAsync"
	_, _, column, row, err := a.rectangle(op, x, y, width, height, dst)
	if err != nil {
		return err
	}
	return s.copyHost(op, dst, func(t abi.Driver, ctx abi.Context, h abi.Stream) abi.Result {
		return t.MemcpyFromArrayAsync(ctx, bytesAt(dst), row, a.array, column, uint64(y), row, uint64(height), h)
	})
}

func (a SparseArray) texel() int64 { return a.desc.Format.bytes() * int64(a.desc.Channels) }

// rectangle checks that a rectangle is in level 0 and that a buffer has exactly its bytes. It returns the start and the length of a row, in bytes.
func (a SparseArray) rectangle(op string, x, y, width, height int, b []byte) (t abi.Driver, ctx abi.Context, column, row uint64, err error) {
	if t, ctx, err = a.device.table(); err != nil {
		return nil, 0, 0, 0, err
	}
	n, texel := int64(len(b)), a.texel()
	across, down := a.desc.Width, max(a.desc.Height, 1)
	switch {
	case x < 0, y < 0, width <= 0, height <= 0, int64(width) > across || int64(x) > across-int64(width), int64(height) > down || int64(y) > down-int64(height):
		return nil, 0, 0, 0, refuse(op, a.device, n, "the rectangle does not lie in the array")
	case int64(width)*int64(height)*texel != n:
		return nil, 0, 0, 0, refuse(op, a.device, n, "the buffer does not have the size of the rectangle")
	}
	return t, ctx, uint64(int64(x) * texel), uint64(int64(width) * texel), nil
}
