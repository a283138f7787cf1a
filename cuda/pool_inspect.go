package cuda

import (
	"errors"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// inspector is the poolimpl.Inspector of a pool. It accesses memory that no stream uses on the stream that is reserved for pools, and so waits for no
// stream of the program.
type inspector struct {
	*timeline
	staging
}

// inspected lets a debug build access the pool's memory.
func (t *timeline) inspected(b poolimpl.Bound) poolimpl.Bound {
	i := &inspector{timeline: t}
	i.staging.site = t.site
	end := &ending{[]func() error{i.release, b.Close}}
	b.Inspector, b.Close = i, end.run
	b.Trim = i.trim
	return b
}

// trim is timeline.trim, and also returns the staging memory.
func (i *inspector) trim() error {
	if captures.under.Load() != 0 {
		return nil
	}
	return errors.Join(i.release(), i.timeline.trim())
}

// Fill fills memory.
func (i *inspector) Fill(addr, bytes uint64, value byte) error {
	return i.onOwn(func(s abi.Stream) error {
		defer i.overlooked(s)()
		return i.fill(s, addr, bytes, value)
	})
}

// Read copies from memory.
func (i *inspector) Read(dst []byte, addr uint64) error {
	return i.onOwn(func(s abi.Stream) error {
		defer i.overlooked(s)()
		return errors.Join(i.fetch(s, dst, addr), i.wait(s))
	})
}

// SyncFills waits for Fill.
func (i *inspector) SyncFills() error { return i.cleared() }

// Queue queues operations on a stream of the program. The stream may be of another device that can access the memory.
func (i *inspector) Queue(s poolimpl.Stream, ops []poolimpl.DeviceOp) (poolimpl.Fence, error) {
	at, err := i.of(s)
	if err != nil {
		return 0, err
	}
	h := abi.Stream(s.Handle)
	if err := at.captured(h, "MemsetD8Async"); err != nil {
		return 0, err
	}
	switch gone, err := at.isGone(s); {
	case err != nil:
		return 0, err
	case gone:
		return 0, check(abi.InvalidHandle, "MemsetD8Async", at.dev, 0)
	}
	defer at.overlooked(h)()
	for n, op := range ops {
		if err = at.do(h, op); err != nil {
			if n > 0 { // wait for the operations that are under way
				err = errors.Join(err, check(at.drv.StreamSynchronize(at.ctx, h), "StreamSynchronize", at.dev, 0))
			}
			return 0, err
		}
	}
	fence, err := i.Record(s)
	if err != nil {
		err = errors.Join(err, check(at.drv.StreamSynchronize(at.ctx, h), "StreamSynchronize", at.dev, 0))
		i.discard(fence)
		return 0, err
	}
	return fence, nil
}

// Release releases a fence. What fails is tried again when pools of the device are closed.
func (i *inspector) Release(fence poolimpl.Fence) error {
	i.discard(fence)
	return nil
}

// discard releases a fence, now or when pools of the device are closed.
func (t *timeline) discard(fence poolimpl.Fence) {
	if fence == 0 {
		return
	}
	if t.Release(fence) != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		at := t.once[abi.Event(fence)]
		t.owe(func() error { return at.destroy(abi.Event(fence)) })
	}
}

// do queues an operation on a stream.
func (s site) do(h abi.Stream, op poolimpl.DeviceOp) error {
	if op.To != nil {
		return s.fetch(h, op.To, op.Addr)
	}
	return s.fill(h, op.Addr, op.Bytes, op.Value)
}

func (s site) fill(h abi.Stream, addr, bytes uint64, value byte) error {
	return check(s.drv.MemsetD8Async(s.ctx, abi.Ptr(addr), value, bytes, h), "MemsetD8Async", s.dev, int64(bytes))
}

func (s site) fetch(h abi.Stream, dst []byte, addr uint64) error {
	n := uint64(len(dst))
	return check(s.drv.MemcpyDtoHAsync(s.ctx, bytesAt(dst), abi.Ptr(addr), n, h), "MemcpyDtoHAsync", s.dev, int64(n))
}

// overlooked makes the simulator's checker, which knows which blocks the program holds, ignore the work that is queued on a stream, until the
// function that it returns is called.
func (s site) overlooked(h abi.Stream) (end func()) {
	checker, ok := s.drv.(interface {
		Overlook(abi.Context, abi.Stream, bool)
	})
	if !ok {
		return func() {}
	}
	checker.Overlook(s.ctx, h, true)
	return func() { checker.Overlook(s.ctx, h, false) }
}
