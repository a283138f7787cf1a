package pooltest

import (
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Fuzz tests sequences of calls of a pool of type P against a model. describe opens a new pool and describes it. Each two bytes of the input are one call: the first
// chooses the function, and the second its argument.
func Fuzz[P, B any](f *testing.F, describe func(testing.TB, *P) *Pool[B]) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, calls []byte) {
		m := &model[B]{Pool: describe(t, new(P))}
		if err := m.play(calls); err != nil {
			t.Fatal(err)
		}
	})
}

// maxCalls is the largest number of calls of a sequence.
const maxCalls = 400

// play makes the calls, and closes the pool.
func (m *model[B]) play(calls []byte) error {
	for i := 0; i+1 < len(calls) && i < 2*maxCalls; i += 2 {
		op := moves[B]()[int(calls[i])%len(moves[B]())]
		if err := op.do(m, int(calls[i+1])); err != nil {
			return fmt.Errorf("call %d, %s(%d): %w", i/2, op.name, calls[i+1], err)
		}
	}
	return m.end()
}

// seeds are the first inputs: no call, each call, a pool that is filled and emptied from either end, and a mixture.
func seeds() [][]byte {
	var each, fill, mixed []byte
	for op := range byte(16) {
		each = append(each, 0, op, op, 3*op)
	}
	for i := range byte(40) {
		fill = append(fill, 0, i)
	}
	for i := range byte(40) {
		fill = append(fill, 1, 7*i, 2, i)
	}
	for i := range 250 {
		mixed = append(mixed, byte(i*i*7>>3), byte(i*13))
	}
	return [][]byte{{}, each, fill, mixed}
}

// move is one kind of call. The argument determines the block or the size. A call that the pool does not have does nothing.
type move[B any] struct {
	name string
	do   func(m *model[B], arg int) error
}

// moves lists the calls. The call of Alloc is listed twice: sequences allocate more often than they free.
func moves[B any]() []move[B] {
	return []move[B]{
		{"alloc", func(m *model[B], arg int) error { return m.allocSome(arg, m.take) }},
		{"free", func(m *model[B], arg int) error { return m.freeOne(arg, m.Free) }},
		{"alloc", func(m *model[B], arg int) error { return m.allocSome(arg, m.take) }},
		{"free twice", (*model[B]).freeTwice},
		{"try alloc", (*model[B]).tryAlloc},
		{"alloc with an ended context", func(m *model[B], arg int) error {
			return m.allocSome(arg, func(n int) (B, error) { return m.AllocContext(expired, n) })
		}},
		{"alloc aligned", (*model[B]).allocAligned},
		{"alloc on a stream", (*model[B]).allocOn},
		{"free on a stream", (*model[B]).freeOn},
		{"free behind a stream", (*model[B]).freeAsync},
		{"synchronize", func(m *model[B], _ int) error { return errors.Join(m.synchronize(), m.check()) }},
		{"trim", (*model[B]).trim},
		{"reset", (*model[B]).reset},
	}
}

// allocSome allocates a block. The argument determines the number of items, which is small for most arguments.
func (m *model[B]) allocSome(arg int, call func(int) (B, error)) error {
	n := 1 + arg%min(m.Most, 8)
	if arg > 240 {
		n = 1 + (arg-240)*(m.Most-1)/15
	}
	_, err := m.alloc(n, call)
	return err
}

// freeOne frees the block that the argument determines.
func (m *model[B]) freeOne(arg int, call func(B) error) error {
	if len(m.live) == 0 || call == nil {
		return nil
	}
	return m.free(arg%len(m.live), call)
}

// freeTwice frees a block twice. The second free must be refused.
func (m *model[B]) freeTwice(arg int) error {
	if len(m.live) == 0 || m.Free == nil {
		return nil
	}
	block := m.live[arg%len(m.live)].block
	if err := m.freeOne(arg, m.Free); err != nil {
		return err
	}
	if err := m.Free(block); !errors.Is(err, poolrt.ErrInvalidFree) {
		return fmt.Errorf("second free: got %v, want ErrInvalidFree", err)
	}
	return nil
}

// tryAlloc allocates a block with TryAlloc, which must not make the pool grow.
func (m *model[B]) tryAlloc(arg int) error {
	before := m.Whole.Stats().Reserved
	err := m.allocSome(arg, func(n int) (B, error) {
		block, ok := m.TryAlloc(n)
		if !ok {
			return block, poolrt.ErrLimit
		}
		return block, nil
	})
	if now := m.Whole.Stats().Reserved; err == nil && now > before {
		return fmt.Errorf("the pool grew from %d to %d bytes", before, now)
	}
	return err
}

// allocAligned allocates an item with an alignment of up to 128, which the pool may refuse.
func (m *model[B]) allocAligned(arg int) error {
	if m.AllocAligned == nil || m.Waits && m.mustGrow(m.ItemBytes+128) {
		return nil
	}
	align := 1 << (arg % 8)
	ok, err := m.alloc(1, func(n int) (B, error) {
		block, err := m.AllocAligned(n, align)
		if errors.Is(err, poolrt.ErrTooLarge) || errors.Is(err, poolrt.ErrBadAlignment) {
			err = poolrt.ErrLimit
		}
		return block, err
	})
	if ok && err == nil && m.live[len(m.live)-1].extent.Start%uint64(align) != 0 {
		return fmt.Errorf("the block at %#x is not aligned to %d", m.live[len(m.live)-1].extent.Start, align)
	}
	return err
}

// allocOn allocates a block on a stream.
func (m *model[B]) allocOn(arg int) error {
	if len(m.Streams) == 0 || m.Streams[0].Alloc == nil || m.Waits && m.mustGrow(int64(m.Most)*m.ItemBytes) {
		return nil // a full pool would wait until the time of its rung wait is over
	}
	return m.allocSome(arg, m.Streams[arg%len(m.Streams)].Alloc)
}

// freeOn frees a block on a stream.
func (m *model[B]) freeOn(arg int) error {
	if len(m.Streams) == 0 {
		return nil
	}
	return m.freeOne(arg, m.Streams[arg%len(m.Streams)].Free)
}

// freeAsync frees a block behind the work of a stream.
func (m *model[B]) freeAsync(arg int) error {
	if len(m.Streams) == 0 {
		return nil
	}
	return m.freeOne(arg, m.Streams[arg%len(m.Streams)].FreeAsync)
}

// trim returns empty chunks.
func (m *model[B]) trim(arg int) error {
	_, err := m.Whole.Trim(int64(arg%2) * m.Room)
	return err
}

// reset frees all blocks at once. A pool that frees blocks one by one must refuse that while blocks are live, unless it drops them.
func (m *model[B]) reset(int) error {
	if m.Reset == nil {
		return nil
	}
	if m.Free == nil {
		return m.clear()
	}
	if err := m.synchronize(); err != nil {
		return err
	}
	if m.Drops {
		return m.drop()
	}
	err := m.Reset()
	if len(m.live) > 0 && !errors.Is(err, poolrt.ErrLive) || len(m.live) == 0 && err != nil {
		return fmt.Errorf("reset with %d live blocks: %w", len(m.live), err)
	}
	return nil
}

// drop frees all blocks with Reset. A free of one of them must be refused, and the figures must be those of an empty pool.
func (m *model[B]) drop() error {
	dropped := m.live
	for _, h := range dropped {
		if err := m.intact(h); err != nil {
			return err
		}
	}
	m.live, m.bytes = nil, 0
	if err := m.Reset(); err != nil {
		return fmt.Errorf("reset with %d live blocks: %w", len(dropped), err)
	}
	if len(dropped) > 0 {
		if err := m.Free(dropped[0].block); !errors.Is(err, poolrt.ErrInvalidFree) {
			return fmt.Errorf("free after Reset: got %v, want ErrInvalidFree", err)
		}
	}
	return m.check()
}
