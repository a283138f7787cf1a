package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// PollRung reclaims frees whose stream has passed them.
type PollRung struct{}

// Kind returns RungPoll.
func (PollRung) Kind() RungKind { return RungPoll }

func (PollRung) try(e *Engine, r request, err error) (b foundBlock, refusal, failed error) {
	failed = err
	if e.order.recoverAll(r) {
		b, failed = e.allocOrGrow(r)
	} else if found, ok := e.allocNow(r); ok { // another caller may have reclaimed what it was asking about
		return found, nil, nil
	}
	return b, nil, failed
}

// TrimRung returns empty chunks, here and in pools of the same budget, to make room for another chunk.
type TrimRung struct{}

// Kind returns RungTrim.
func (TrimRung) Kind() RungKind { return RungTrim }

func (TrimRung) try(e *Engine, r request, err error) (b foundBlock, refusal, failed error) {
	failed = err
	if e.trimForRequest(r, err) {
		b, failed = e.allocOrGrow(r)
	}
	return b, nil, failed
}

// trimForRequest is the rung trim. It returns empty chunks of this pool, then those of the other pools of the budget: at a limit as much as the chunk for
// the request lacks, and nothing if that would not make room; all if the source has no memory. It reports whether it returned any. It skips pools without a
// lock: only their user may call them.
func (e *Engine) trimForRequest(r request, err error) (trimmed bool) {
	if reason(err) != poolrt.ErrLimit {
		n, _ := e.trim(0)
		if e.core.driver != nil {
			_ = e.core.driver.trim(e) // whether that gave back anything is not known
			n = 1
		}
		return e.reclaim(budget.Trim, func() int64 { return poolrt.NoLimit }) || n > 0
	}
	trimmed, lacking := e.trimOwn(r)
	return e.reclaim(budget.Trim, lacking) || trimmed || lacking != nil && lacking() <= 0
}

// DrainRung waits for streams, as long as frees are pending that they have not passed.
type DrainRung struct{}

// Kind returns RungDrain.
func (DrainRung) Kind() RungKind { return RungDrain }

func (DrainRung) try(e *Engine, r request, err error) (b foundBlock, refusal, failed error) {
	if e.core.driver != nil {
		b, failed = e.core.driver.drain(e, r, err)
	} else {
		b, failed = e.wait(r, err, RungDrain)
	}
	return b, nil, failed
}

// WaitRung waits for a block to be freed, or for streams.
type WaitRung struct{}

// Kind returns RungWait.
func (WaitRung) Kind() RungKind { return RungWait }

func (WaitRung) try(e *Engine, r request, err error) (b foundBlock, refusal, failed error) {
	b, failed = e.wait(r, err, RungWait)
	return b, nil, failed
}

// PoolRung takes the block from another pool, on the same device.
type PoolRung struct {
	Pool func(device int) *Engine // the other pool, or its instance for the device
}

// Kind returns RungPool.
func (PoolRung) Kind() RungKind { return RungPool }

func (p PoolRung) try(e *Engine, r request, err error) (b foundBlock, refusal, failed error) {
	if b, refusal = e.borrow(r, p.Pool); refusal != nil {
		return b, refusal, err
	}
	return b, nil, nil
}

// DriverRung makes the block an allocation of its own, directly from the pool's source. The allocation is returned when the block is freed or, in a pool without a
// free for one block, at Reset or Close. It counts as reserved, within limit and budget. So the rung helps where no chunk can be added although the limit leaves
// room: for a request above the arena of a ring or the chunk of a bump pool, when what is left of the limit is less than a chunk, and when the source has room for
// the block but not for a chunk. It costs a call of the source for each allocation and each free.
type DriverRung struct{}

// Kind returns RungDriver.
func (DriverRung) Kind() RungKind { return RungDriver }

func (DriverRung) try(e *Engine, r request, err error) (b foundBlock, refusal, failed error) {
	b, failed = e.allocDirect(r, err)
	return b, nil, failed
}

// ErrorRung fails. Nothing follows it.
type ErrorRung struct{}

// Kind returns RungError.
func (ErrorRung) Kind() RungKind { return RungError }

func (ErrorRung) try(_ *Engine, _ request, err error) (foundBlock, error, error) {
	return foundBlock{}, nil, err
}
