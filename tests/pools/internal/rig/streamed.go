package rig

import "github.com/poolgen/poolgen/cuda"

// Block is a block that streams use, whatever its type.
type Block struct {
	Addr  cuda.DevicePtr
	Bytes int64
	own   any // the block in the type of its pool
}

// Streamed is a pool of such blocks.
type Streamed struct {
	Alloc   func(n int) (Block, error)
	AllocOn func(n int, s cuda.Stream) (Block, error) // nil: blocks are not allocated on streams
	Free    func(b Block) error
	FreeOn  func(b Block, s cuda.Stream) error
}

// StreamedOf makes a Streamed from the functions of a pool. at returns the address and the length of a block. Without allocOn, blocks are not
// allocated on streams.
func StreamedOf[B any](at func(B) (cuda.DevicePtr, int64), alloc func(n int) (B, error), allocOn func(n int, s cuda.Stream) (B, error),
	free func(B) error, freeOn func(B, cuda.Stream) error) Streamed {
	wrap := func(b B, err error) (Block, error) {
		if err != nil {
			return Block{}, err
		}
		addr, bytes := at(b)
		return Block{addr, bytes, b}, nil
	}
	p := Streamed{
		Alloc:  func(n int) (Block, error) { return wrap(alloc(n)) },
		Free:   func(b Block) error { return free(b.own.(B)) },
		FreeOn: func(b Block, s cuda.Stream) error { return freeOn(b.own.(B), s) },
	}
	if allocOn != nil {
		p.AllocOn = func(n int, s cuda.Stream) (Block, error) { return wrap(allocOn(n, s)) }
	}
	return p
}

// Single makes the function of a pool of single items one that takes a number of items.
func Single[B any](alloc func() (B, error)) func(int) (B, error) {
	return func(int) (B, error) { return alloc() }
}

// SingleOn is the same for one on streams.
func SingleOn[B any](allocOn func(cuda.Stream) (B, error)) func(int, cuda.Stream) (B, error) {
	return func(_ int, s cuda.Stream) (B, error) { return allocOn(s) }
}

// SpanAt returns the address of a span of device memory, and its length.
func SpanAt[S interface {
	Addr() cuda.DevicePtr
	Bytes() int64
}](s S) (cuda.DevicePtr, int64) {
	return s.Addr(), s.Bytes()
}

// BytesAt returns the address of bytes for a device, and their length.
func BytesAt(b []byte) (cuda.DevicePtr, int64) { return cuda.AddressOf(b), int64(len(b)) }
