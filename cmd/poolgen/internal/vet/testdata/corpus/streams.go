package corpus

import (
	"errors"
	"log"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

// Blocks that streams work with.

func streamFreesAfterLaunch(k cuda.Kernel, src []float32, s cuda.Stream) error {
	b, err := pools.AllocBatchOn(len(src), s)
	if err != nil {
		return err
	}
	if err := b.CopyFrom(src, s); err != nil {
		return errors.Join(err, pools.FreeBatchOn(b, s))
	}
	err = launch(k, b.Addr(), b.Len(), s)
	return errors.Join(err, pools.FreeBatchOn(b, s))
}

func streamIsBusyAtFree(k cuda.Kernel, src []float32, s cuda.Stream) error {
	b, err := pools.AllocBatchOn(len(src), s)
	if err != nil {
		return err
	}
	err = b.CopyFrom(src, s)
	if err == nil {
		err = launch(k, b.Addr(), b.Len(), s)
	}
	return errors.Join(err, pools.FreeBatch(b)) // WRONG busy: the kernel may not have run
}

func streamIsWaitedFor(src, dst []float32, s cuda.Stream) error {
	b, err := pools.AllocBatch(len(src))
	if err != nil {
		return err
	}
	err = errors.Join(b.CopyFrom(src, s), b.CopyTo(dst, s))
	if err := s.Synchronize(); err != nil {
		log.Printf("the stream failed: %v", err)
	}
	return errors.Join(err, pools.FreeBatch(b))
}

func streamBlockLostWhenCopyFails(src []float32, s cuda.Stream) (pools.BatchSpan, error) {
	b, err := pools.AllocBatchOn(len(src), s)
	if err != nil {
		return pools.BatchSpan{}, err
	}
	if err := b.CopyFrom(src, s); err != nil {
		log.Printf("%d bytes: %v", b.Bytes(), err)
		return pools.BatchSpan{}, err // WRONG leak: the block is not freed
	}
	return b, nil
}

func streamWaitsForOther(k cuda.Kernel, src []float32, up, work cuda.Stream, e cuda.Event) error {
	b, err := pools.AllocBatchOn(len(src), up)
	if err != nil {
		return err
	}
	err = errors.Join(
		b.CopyFrom(src, up),
		e.Record(up),
		work.Wait(e),
		launch(k, b.Addr(), b.Len(), work))
	return errors.Join(err, pools.FreeBatchOn(b, work))
}

func streamUsesBlockAfterFreeOn(k cuda.Kernel, src []float32, s cuda.Stream) error {
	b, err := pools.AllocBatchOn(len(src), s)
	if err != nil {
		return err
	}
	err = b.CopyFrom(src, s)
	if err := errors.Join(err, pools.FreeBatchOn(b, s)); err != nil {
		return err
	}
	return launch(k, b.Addr(), b.Len(), s) // WRONG use: the block was freed before the launch was queued
}

func lateBlockFreedAsync(k cuda.Kernel, src []float32, s cuda.Stream) error {
	b, err := pools.AllocLate(len(src))
	if err != nil {
		return err
	}
	defer func() {
		if err := pools.FreeLateAsync(b, s); err != nil {
			log.Print(err)
		}
	}()
	if err := pools.CopyLateToDevice(b, src, s); err != nil {
		return err
	}
	return launch(k, b.Addr(), b.Len(), s)
}

func lateBlockFreedOnceMore(src []float32, s cuda.Stream) error {
	b, err := pools.AllocLate(len(src))
	if err != nil {
		return err
	}
	err = errors.Join(b.CopyFrom(src, s), pools.FreeLateAsync(b, s))
	if err := s.Synchronize(); err != nil {
		return err
	}
	return errors.Join(err, pools.FreeLate(b)) // WRONG double: the free on the stream was enough
}

func streamCopiesFromPinned(b pools.BatchSpan, src []float32, s cuda.Stream) error {
	up, err := pools.AllocStage(len(src))
	if err != nil {
		return err
	}
	copy(up, src)
	if err := cuda.CopyToDeviceAsync(b.Addr(), asBytes(up), s); err != nil {
		return errors.Join(err, pools.FreeStage(up))
	}
	return errors.Join(s.Synchronize(), pools.FreeStage(up))
}

func streamCopiesFromGoHeap(n int, s cuda.Stream) error {
	b, err := pools.AllocBatchOn(n, s)
	if err != nil {
		return err
	}
	zeros := make([]byte, b.Bytes())
	for i := range zeros {
		zeros[i] = byte(i)
	}
	err = cuda.CopyToDeviceAsync(b.Addr(), zeros, s) // WRONG pinned: the bytes are of the Go heap
	return errors.Join(err, pools.FreeBatchOn(b, s))
}
