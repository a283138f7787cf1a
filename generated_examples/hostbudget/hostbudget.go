// Package hostbudget decodes videos in several processes that keep to one limit together: a process gets what the others do not need at the moment, and always what
// is guaranteed to it.
package hostbudget

import (
	"context"
	"errors"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Decoder holds the frames of one process.
type Decoder struct {
	frames *FramePool
	stop   context.CancelFunc
	served chan error
}

// NewDecoder makes a decoder. While it is there, other processes get what it does not use as soon as they wait for it.
func NewDecoder(options ...poolrt.Option) (*Decoder, error) {
	frames, err := NewFramePool(options...)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	d := &Decoder{frames, stop, make(chan error, 1)}
	go func() { d.served <- frames.Budget().Serve(ctx) }()
	return d, nil
}

// Decode decodes a video of so many frames of the given size. Their memory is one block: a process that held some frames and waited for more could wait for others
// that do the same.
func (d *Decoder) Decode(ctx context.Context, frames, size int, show func(frame []byte)) error {
	all, err := d.frames.AllocContext(ctx, frames*size) // waits for other processes
	if err != nil {
		return err
	}
	for f := range slices.Chunk(all, size) {
		show(f)
	}
	return d.frames.Free(all)
}

// Close gives the memory back.
func (d *Decoder) Close() error {
	d.stop()
	err := <-d.served
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, d.frames.Close())
}
