package recycling

import (
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda"
)

// forgotten counts the pictures that nobody closed. Tests check that it stays 0, and a program reports it.
var forgotten atomic.Int64

// picture is a picture in device memory. Its owner closes it.
type picture struct {
	memory PixelRef
	stream cuda.Stream     // that the picture is used on
	net    runtime.Cleanup // for a picture that nobody closes
}

func newPicture(pool *PixelPool, n int, s cuda.Stream) (*picture, error) {
	memory, err := pool.AllocRefOn(n, s)
	if err != nil {
		return nil, err
	}
	p := &picture{memory: memory, stream: s}
	p.net = runtime.AddCleanup(p, takeBack, memory)
	return p, nil
}

// takeBack returns the memory of a picture that nobody closed.
func takeBack(memory PixelRef) {
	forgotten.Add(1)
	_ = memory.Release() // fails where the pool or the stream has ended already
}

// close returns the memory, in the order of the stream. A second close is refused.
func (p *picture) close() error {
	p.net.Stop()
	return p.memory.Release()
}

// write and read copy pixels to the picture and back. More pixels than the picture has are refused.
func (p *picture) write(pixels []byte) error {
	defer runtime.KeepAlive(p) // or the net returns the memory before the copy
	return p.memory.Get().CopyFrom(pixels, p.stream)
}

func (p *picture) read(pixels []byte) error {
	defer runtime.KeepAlive(p)
	return p.memory.Get().CopyTo(pixels, p.stream)
}

// show copies pixels to a picture and back from there.
func show(pool *PixelPool, pixels, shown []byte, s cuda.Stream) error {
	p, err := newPicture(pool, len(pixels), s)
	if err != nil {
		return err
	}
	return errors.Join(p.write(pixels), p.read(shown), p.close())
}
