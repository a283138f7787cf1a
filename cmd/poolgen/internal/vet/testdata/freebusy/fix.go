package freebusy

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
	. "example.com/vet/pools"
)

func ordered(s cuda.Stream) error {
	b, err := AllocBatch(10)
	if err != nil {
		return err
	}
	err = ZeroBatch(b, s)
	return errors.Join(err, FreeBatch(b)) // want `PG108`
}

func late(k cuda.Kernel, s cuda.Stream) error {
	b, err := AllocLate(10)
	if err != nil {
		return err
	}
	err = k.Launch(cuda.Config{Stream: s}, b.Addr())
	return errors.Join(err, FreeLate(b)) // want `PG108`
}
