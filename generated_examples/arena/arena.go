// Package arena shows one piece of device memory that is handed out from the front to the back and given up all at once: no call of the driver
// after the first, no free of single blocks, a mark to go back to, and a request that does not fit refused with the numbers.
//
// The tests run on a GPU, and without one on the simulated driver:
//
//	go test -tags cudasim ./generated_examples/arena
package arena

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
)

// Step does one step of a computation that needs two rows of n numbers: it writes in to one, copies that to the other, and fetches the
// result to out. The stream has passed when it returns, so that nothing is at work in the arena when it is given up.
func Step(p *ArenaPool, out, in []float32, s cuda.Stream) (err error) {
	defer func() {
		err = errors.Join(err, s.Synchronize(), p.Reset()) // in this order: Reset knows nothing of streams
	}()
	a, err := p.Alloc(len(in))
	if err != nil {
		return err
	}
	b, err := p.Alloc(len(in))
	if err != nil {
		return err
	}
	return errors.Join(
		p.CopyToDevice(a, in, s),
		p.CopyPeer(b, a, s),
		p.CopyToHost(out, b, s))
}
