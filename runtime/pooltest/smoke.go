package pooltest

import (
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Smoke tests pools of type P. Each subtest has a new pool, which describe opens and describes.
func Smoke[P, B any](t *testing.T, describe func(testing.TB, *P) *Pool[B]) {
	kind := describe(t, new(P))
	if err := kind.Whole.Close(); err != nil { // the next pools may need its part of a budget
		t.Fatal(err)
	}
	for _, s := range steps[B]() {
		if !s.applies(kind) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			m := &model[B]{Pool: describe(t, new(P))}
			another := func() *Pool[B] { return describe(t, new(P)) }
			if err := s.run(m, another); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// step is a subtest of the smoke test.
type step[B any] struct {
	name    string
	applies func(*Pool[B]) bool
	try     func(m *model[B], another func() *Pool[B]) error
}

// run runs the step, and closes the pool.
func (s step[B]) run(m *model[B], another func() *Pool[B]) error {
	if err := s.try(m, another); err != nil {
		return err
	}
	return m.end()
}

// steps lists the subtests.
func steps[B any]() []step[B] {
	alone := func(try func(*model[B]) error) func(*model[B], func() *Pool[B]) error {
		return func(m *model[B], _ func() *Pool[B]) error { return try(m) }
	}
	return []step[B]{
		{"block", func(*Pool[B]) bool { return true }, alone((*model[B]).oneBlock)},
		{"misuse", func(p *Pool[B]) bool { return p.Free != nil }, (*model[B]).misuse},
		{"limit", func(p *Pool[B]) bool { return !p.Borrows }, (*model[B]).limit},
		{"batch", func(p *Pool[B]) bool { return p.AllocBatch != nil && !p.Borrows }, alone((*model[B]).batch)},
		{"mark", func(p *Pool[B]) bool { return p.Mark != nil }, (*model[B]).markAndRelease},
		{"together", func(p *Pool[B]) bool { return p.Locked && !p.Borrows }, alone((*model[B]).together)},
	}
}

// oneBlock allocates, writes and frees a block.
func (m *model[B]) oneBlock() error {
	if ok, err := m.alloc(1, m.take); !ok || err != nil {
		return fmt.Errorf("an empty pool has no block: %w", err)
	}
	if err := errors.Join(m.intact(m.live[0]), m.check()); err != nil {
		return err
	}
	if m.Free != nil {
		if err := m.Whole.Close(); !errors.Is(err, poolrt.ErrLive) {
			return fmt.Errorf("close with a live block: got %v, want ErrLive", err)
		}
	}
	if err := m.clear(); err != nil {
		return err
	}
	return m.check()
}

// misuse tries each way to free a block, at once and on a stream.
func (m *model[B]) misuse(another func() *Pool[B]) error {
	ways, other := []func(B) error{m.Free}, another()
	for _, s := range m.Streams {
		ways = append(ways, s.FreeAsync)
	}
	for _, free := range ways {
		if err := m.misuseOf(free, ways, other); err != nil {
			return err
		}
	}
	return nil
}

// misuseOf frees no block, a block of another pool, and a block twice, the second time in all ways: each must be refused.
func (m *model[B]) misuseOf(free func(B) error, ways []func(B) error, other *Pool[B]) error {
	if ok, err := m.alloc(1, m.take); !ok || err != nil {
		return fmt.Errorf("an empty pool has no block: %w", err)
	}
	var none B
	if err := free(none); !errors.Is(err, poolrt.ErrInvalidFree) {
		return fmt.Errorf("free of no block: got %v, want ErrInvalidFree", err)
	}
	if m.Track == nil { // otherwise the other pool has the same numbers
		if err := m.foreign(free, other); err != nil {
			return err
		}
	}
	block := m.live[0].block
	if err := m.free(0, free); err != nil {
		return err
	}
	for _, again := range ways {
		if err := again(block); !errors.Is(err, poolrt.ErrInvalidFree) {
			return fmt.Errorf("second free: got %v, want ErrInvalidFree", err)
		}
	}
	return errors.Join(m.synchronize(), m.check())
}

// foreign frees a block of another pool.
func (m *model[B]) foreign(free func(B) error, other *Pool[B]) error {
	o := &model[B]{Pool: other}
	if ok, err := o.alloc(1, o.take); !ok || err != nil {
		return err // nil if the budget has nothing left
	}
	if err := free(o.live[0].block); !errors.Is(err, poolrt.ErrInvalidFree) {
		return fmt.Errorf("free of another pool's block: got %v, want ErrInvalidFree", err)
	}
	return errors.Join(o.intact(o.live[0]), o.clear())
}

// limit fills the pool, frees all blocks, and allocates again.
func (m *model[B]) limit(another func() *Pool[B]) error {
	m.tighten(another())
	n, err := m.fill()
	if err == nil {
		err = m.clear()
	}
	switch {
	case err != nil:
		return err
	case m.Free == nil:
		return m.refill(n)
	}
	return m.hasRoom()
}

// hasRoom returns an error if a pool without live blocks has no room for one.
func (m *model[B]) hasRoom() error {
	if ok, err := m.alloc(1, m.take); !ok || err != nil {
		return fmt.Errorf("there is no block after all were freed: %w; %+v", err, m.Whole.Stats())
	}
	return m.check()
}

// refill returns an error if the pool has room for fewer blocks than before.
func (m *model[B]) refill(before int) error {
	n, err := m.fill()
	if err == nil && n < before {
		err = fmt.Errorf("there is room for %d blocks where %d were taken back; %+v", n, before, m.Whole.Stats())
	}
	return err
}

// batch allocates and frees several blocks with one call each.
func (m *model[B]) batch() error {
	dst := make([]B, 3)
	n, err := m.AllocBatch(dst)
	switch {
	case errors.Is(err, poolrt.ErrLimit), errors.Is(err, poolrt.ErrOutOfMemory):
		if n != 0 {
			return fmt.Errorf("a batch that failed has %d blocks", n)
		}
		return m.check()
	case err != nil || n != len(dst):
		return fmt.Errorf("a batch of %d has %d: %w", len(dst), n, err)
	}
	for _, block := range dst {
		if err := m.enter(block, 1); err != nil {
			return err
		}
	}
	for _, h := range m.live {
		if err := m.intact(h); err != nil {
			return err
		}
	}
	if err := m.check(); err != nil {
		return err
	}
	m.live, m.bytes = nil, 0
	if err := m.FreeBatch(append(dst, dst[1])); !errors.Is(err, poolrt.ErrInvalidFree) {
		return fmt.Errorf("a batch with a block twice: got %v, want ErrInvalidFree", err)
	}
	return m.check()
}

// markAndRelease frees the blocks after a mark. Those before it stay live.
func (m *model[B]) markAndRelease(another func() *Pool[B]) error {
	m.tighten(another())
	if _, err := m.alloc(1, m.take); err != nil {
		return err
	}
	release := m.Mark()
	kept := len(m.live)
	n, err := m.fill()
	if err != nil {
		return err
	}
	for len(m.live) > kept {
		if err := m.intact(m.leave(len(m.live) - 1)); err != nil {
			return err
		}
	}
	if err := release(); err != nil {
		return err
	}
	return m.refill(n)
}
