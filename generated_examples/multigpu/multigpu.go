// Package multigpu shows a pool on each of two devices, made from one description: blocks of both have the same type, each
// device may read the other's, and they are copied across in the order of a stream.
//
// The tests run on two GPUs, and without them on the simulated driver:
//
//	go test -tags cudasim ./generated_examples/multigpu
package multigpu

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Site is one device with its pool and a stream.
type Site struct {
	Pool   *PartPool
	Stream cuda.Stream
}

// Open makes a pool and a stream on a device. Blocks of that pool are to be freed in it, not in that of the other device, which would
// refuse them.
func Open(d cuda.Device) (*Site, error) {
	p, err := NewPartPool(poolrt.OnDevice(int(d)))
	if err != nil {
		return nil, err
	}
	s, err := d.NewStream(cuda.NonBlocking)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return &Site{p, s}, nil
}

// Close closes stream and pool.
func (s *Site) Close() error { return errors.Join(s.Stream.Close(), s.Pool.Close()) }

// Send copies a block to another device, and returns the copy, which is in the order of the stream there. The block can be freed on
// the stream of its own device at once.
func (s *Site) Send(b PartSpan, to *Site) (PartSpan, error) {
	// The stream there waits for what the stream here has done to the block, and this one for the copy: whatever frees the block
	// in the order of this stream then comes behind the copy.
	there, err := to.Pool.AllocOn(b.Len(), to.Stream)
	if err != nil {
		return PartSpan{}, err
	}
	err = errors.Join(
		after(to.Stream, s.Stream),
		to.Pool.CopyPeer(there, b, to.Stream),
		after(s.Stream, to.Stream))
	if err != nil {
		return PartSpan{}, errors.Join(err, to.Pool.FreeOn(there, to.Stream))
	}
	return there, nil
}

// after makes what a stream is given from now on wait for what another was given so far. The host does not wait.
func after(s, first cuda.Stream) error {
	e, err := first.Device().NewEvent()
	if err != nil {
		return err
	}
	return errors.Join(e.Record(first), s.Wait(e), e.Close())
}
