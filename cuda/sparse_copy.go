package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// Write copies rows of texels, without gaps, to a rectangle of level 0; it returns when they are there.
func (a SparseArray) Write(x, y, width, height int, src []byte) error {
	const op = "Memcpy2D"
	t, ctx, row, err := a.rectangle(op, width, height, src)
	if err != nil {
		return err
	}
	r := t.MemcpyToArray(ctx, a.array, uint64(int64(x)*a.texel()), uint64(y), row, uint64(height), bytesAt(src), row)
	return check(r, op, a.device, int64(len(src)))
}

// Read copies a rectangle of level 0 to rows of texels.
func (a SparseArray) Read(dst []byte, x, y, width, height int) error {
	const op = "Memcpy2D"
	t, ctx, row, err := a.rectangle(op, width, height, dst)
	if err != nil {
		return err
	}
	r := t.MemcpyFromArray(ctx, bytesAt(dst), row, a.array, uint64(int64(x)*a.texel()), uint64(y), row, uint64(height))
	return check(r, op, a.device, int64(len(dst)))
}

// WriteAsync copies rows of texels, without gaps, to a rectangle of level 0, in the order of the stream. What [CopyToDeviceAsync] says of src
// holds here. Texels of tiles that no memory is bound to when the stream comes to the copy are lost.
func (a SparseArray) WriteAsync(x, y, width, height int, src []byte, s Stream) error {
	return a.copyAsync(x, width, height, src, s, func(t abi.Driver, ctx abi.Context, column, row uint64, h abi.Stream) abi.Result {
		return t.MemcpyToArrayAsync(ctx, a.array, column, uint64(y), row, uint64(height), bytesAt(src), row, h)
	})
}

// ReadAsync copies a rectangle of level 0 to rows of texels, in the order of the stream. What [CopyToDeviceAsync] says of src holds for dst.
// Tiles that no memory is bound to when the stream comes to the copy read as 0.
func (a SparseArray) ReadAsync(dst []byte, x, y, width, height int, s Stream) error {
	return a.copyAsync(x, width, height, dst, s, func(t abi.Driver, ctx abi.Context, column, row uint64, h abi.Stream) abi.Result {
		return t.MemcpyFromArrayAsync(ctx, bytesAt(dst), row, a.array, column, uint64(y), row, uint64(height), h)
	})
}

// copyAsync queues a copy between a rectangle and memory of the host, and waits if that memory would not wait for the stream.
func (a SparseArray) copyAsync(x, width, height int, b []byte, s Stream, queue func(t abi.Driver, ctx abi.Context, column, row uint64, h abi.Stream) abi.Result) error {
	const op = "Memcpy2DAsync"
	_, _, row, err := a.rectangle(op, width, height, b)
	if err != nil {
		return err
	}
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	n := int64(len(b))
	stays := staysPut(t, ctx, b)
	if err := s.mayWait(stays, op, n); err != nil {
		return err
	}
	r := queue(t, ctx, uint64(int64(x)*a.texel()), row, h)
	return s.settle(stays, b, check(r, op, s.device, n))
}

func (a SparseArray) texel() int64 { return a.desc.Format.bytes() * int64(a.desc.Channels) }

// rectangle checks that a buffer has exactly the bytes of a rectangle, and returns those of a row.
func (a SparseArray) rectangle(op string, width, height int, b []byte) (abi.Driver, abi.Context, uint64, error) {
	t, ctx, err := a.device.table()
	if err != nil {
		return nil, 0, 0, err
	}
	row := int64(width) * a.texel()
	if width <= 0 || height <= 0 || row > int64(len(b)) || row*int64(height) != int64(len(b)) {
		return nil, 0, 0, refuse(op, a.device, int64(len(b)), "the buffer does not have the size of the rectangle")
	}
	return t, ctx, uint64(row), nil
}
