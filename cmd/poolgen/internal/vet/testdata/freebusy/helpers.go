package freebusy

import (
	"errors"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

func run(k cuda.Kernel, at cuda.DevicePtr, s cuda.Stream) error {
	return k.Launch(cuda.Config{Stream: s}, at)
}

func launchedByHelper(k cuda.Kernel, s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = run(k, b.Addr(), s)
	return errors.Join(err, pools.FreeBatch(b)) // want `PG108`
}

func scopedTo(k cuda.Kernel, s cuda.Stream) error {
	return pools.WithBatch(10, func(b pools.BatchSpan) error {
		return run(k, b.Addr(), s) // want `PG108: .* is freed by With while a stream may still be using it`
	})
}

// From here on, all is well.

func scopedToStream(k cuda.Kernel, s cuda.Stream) error {
	return pools.WithBatchOn(10, s, func(b pools.BatchSpan) error {
		return run(k, b.Addr(), s)
	})
}

func scopedToStreamOf(p *pools.BatchPool, s cuda.Stream) error {
	return p.WithOn(10, s, func(b pools.BatchSpan) error { return b.Zero(s) })
}
