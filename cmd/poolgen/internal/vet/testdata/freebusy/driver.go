package freebusy

import (
	"errors"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

// Work that functions of package cuda give a stream.

func set(s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = cuda.MemsetAsync(b.Addr(), 0, b.Bytes(), s)
	return errors.Join(err, pools.FreeBatch(b)) // want `PG108: .*: free it with FreeBatchOn`
}

func setByVariable(s cuda.Stream) error {
	b, err := pools.AllocLate(10)
	if err != nil {
		return err
	}
	at := b.Addr()
	if err := cuda.MemsetAsync(at, 0, b.Bytes(), s); err != nil {
		return errors.Join(err, pools.FreeLate(b))
	}
	return pools.FreeLate(b) // want `PG108`
}

func copiedOut(s cuda.Stream, dst cuda.DevicePtr) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = cuda.CopyDeviceAsync(dst, b.Addr(), b.Bytes(), s)
	return errors.Join(err, pools.FreeBatch(b)) // want `PG108`
}

func copiedIn(s cuda.Stream, src cuda.DevicePtr) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = cuda.CopyDeviceAsync(b.Addr(), src, b.Bytes(), s)
	return errors.Join(err, pools.FreeBatch(b)) // want `PG108`
}

func copiedToPeer(s cuda.Stream, d, other cuda.Device, dst cuda.DevicePtr) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = cuda.CopyPeer(dst, other, b.Addr(), d, b.Bytes(), s)
	return errors.Join(err, pools.FreeBatch(b)) // want `PG108`
}

func stagedByDriver(s cuda.Stream, dst cuda.DevicePtr) error {
	up, err := pools.AllocStage(10)
	if err != nil {
		return err
	}
	err = cuda.CopyToDeviceAsync(dst, up, s)
	return errors.Join(err, pools.FreeStage(up)) // want `PG108`
}

func setInWith(s cuda.Stream) error {
	return pools.WithBatch(10, func(b pools.BatchSpan) error {
		return cuda.MemsetAsync(b.Addr(), 0, b.Bytes(), s) // want `PG108: .* is freed by With`
	})
}

func failsAfterWork(k cuda.Kernel, s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	if err := b.Zero(s); err != nil {
		return errors.Join(err, pools.FreeBatch(b))
	}
	if err := k.Launch(cuda.Config{Stream: s}, b.Addr()); err != nil {
		return errors.Join(err, pools.FreeBatch(b)) // want `PG108`
	}
	return pools.FreeBatchOn(b, s)
}

// clears has an exit at which the stream has no work.
func clears(b pools.BatchSpan, s cuda.Stream) error {
	if err := b.Zero(s); err != nil {
		return err
	}
	return nil
}

func clearedByHelper(s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	if err := clears(b, s); err != nil {
		return errors.Join(err, pools.FreeBatch(b))
	}
	return pools.FreeBatch(b) // want `PG108`
}

// From here on, all is well: a call that fails gives the stream no work.

func failedZero(s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	if err := b.Zero(s); err != nil {
		return errors.Join(err, pools.FreeBatch(b))
	}
	return pools.FreeBatchOn(b, s)
}

func failedLaunch(k cuda.Kernel, s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = k.Launch(cuda.Config{Stream: s}, b.Addr())
	if err != nil {
		_ = pools.FreeBatch(b)
		return err
	}
	return pools.FreeBatchOn(b, s)
}

func failedInCondition(s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	if cuda.MemsetAsync(b.Addr(), 0, b.Bytes(), s) != nil {
		return pools.FreeBatch(b)
	}
	return pools.FreeBatchOn(b, s)
}

func failedInWith(s cuda.Stream) error {
	return pools.WithBatch(10, func(b pools.BatchSpan) error {
		if err := cuda.MemsetAsync(b.Addr(), 0, b.Bytes(), s); err != nil {
			return err
		}
		return s.Synchronize()
	})
}

func setAndWaited(s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = errors.Join(cuda.MemsetAsync(b.Addr(), 0, b.Bytes(), s), s.Synchronize())
	return errors.Join(err, pools.FreeBatch(b))
}

func copiedFromHeap(s cuda.Stream, src []float32) error {
	b, err := pools.AllocBatch(len(src))
	if err != nil {
		return err
	}
	err = cuda.CopyToDeviceAsync(b.Addr(), src, s) // waits
	return errors.Join(err, pools.FreeBatch(b))
}

func setOfOther(s cuda.Stream, other cuda.DevicePtr) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	err = cuda.MemsetAsync(other, 0, b.Bytes(), s)
	return errors.Join(err, pools.FreeBatch(b))
}
