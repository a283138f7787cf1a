// Package freebusy frees blocks that streams are at work with.
package freebusy

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
	"example.com/vet/pools"
)

func cleared(s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = pools.ZeroBatch(b, s)
	return errors.Join(err, pools.FreeBatch(b)) // want `PG108: the block of pool Batch is freed while a stream may still be using it: free it with FreeBatchOn`
}

func launched(k cuda.Kernel, s cuda.Stream) error {
	b, err := pools.AllocLate(10)
	if err != nil {
		return err
	}
	err = k.Launch(cuda.Config{Stream: s}, b.Addr(), uint64(b.Len()))
	return errors.Join(err, pools.FreeLate(b)) // want `PG108: .*: free it with FreeLateAsync`
}

func staged(s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	up, err := pools.AllocStage(10)
	if err != nil {
		return errors.Join(err, pools.FreeBatch(b))
	}
	err = pools.CopyBatchToDevice(b, up, s)
	return errors.Join(err, pools.FreeBatchOn(b, s), pools.FreeStage(up)) // want `PG108: the block of pool Stage`
}

// perhapsStaged copies from memory that is page-locked if the program has chosen so.
func perhapsStaged(s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	up, err := pools.AllocEither(10)
	if err != nil {
		return errors.Join(err, pools.FreeBatch(b))
	}
	err = pools.CopyBatchToDevice(b, up, s)
	return errors.Join(err, pools.FreeBatchOn(b, s), pools.FreeEither(up)) // want `PG108: the block of pool Either`
}

// From here on, all is well.

func onStream(s cuda.Stream) error {
	b, err := pools.AllocBatchOn(10, s)
	if err != nil {
		return err
	}
	err = b.Zero(s)
	return errors.Join(err, pools.FreeBatchOn(b, s))
}

func waited(s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = errors.Join(pools.ZeroBatch(b, s), s.Synchronize())
	return errors.Join(err, pools.FreeBatch(b))
}

func copied(s cuda.Stream, out []float32) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = errors.Join(pools.ZeroBatch(b, s), pools.CopyBatchToHost(out, b, s)) // waits
	return errors.Join(err, pools.FreeBatch(b))
}
