package pooltest

import (
	"errors"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Bounds of the live blocks of a model, by default and for a pool with a limit that few blocks reach.
const (
	maxBlocks = 256
	maxBytes  = 4 << 20

	tightBlocks = 8192
	tightBytes  = 4 << 10
)

// model is what a pool should hold. Its methods call the pool, and return an error if the pool behaves differently.
type model[B any] struct {
	*Pool[B]
	live   []held[B]
	bytes  int64 // of live
	serial uint64
	tight  bool // few blocks reach the limit of the pool: the model may hold all of them
}

// held is a live block.
type held[B any] struct {
	block  B
	extent Extent
	bytes  int64 // what was requested
	serial uint64
}

// alloc allocates a block of n items with a call. It returns false if the pool is full or if the model has reached its bounds.
func (m *model[B]) alloc(n int, call func(n int) (B, error)) (bool, error) {
	bytes := int64(n) * m.ItemBytes
	if len(m.live) >= m.maxBlocks() || m.bytes+bytes > max(maxBytes, m.ItemBytes) {
		return false, nil
	}
	if m.Borrows && m.mustGrow(bytes) {
		return false, nil // the block might come from the other pool
	}
	block, err := call(n)
	switch {
	case err == nil:
		return true, m.enter(block, n)
	case full(err), n > 1 && errors.Is(err, poolrt.ErrTooLarge):
		return false, nil
	}
	return false, fmt.Errorf("alloc of %d: %w", n, err)
}

// maxBlocks is the largest number of live blocks.
func (m *model[B]) maxBlocks() int {
	if m.tight {
		return tightBlocks
	}
	return maxBlocks
}

// tighten lowers the limit of a new pool to one that few blocks reach. It leaves the limit if a block no longer fits, which it tries with probe, another pool like this
// one. A pool of numbers has many numbers already.
func (m *model[B]) tighten(probe *Pool[B]) {
	defer func() { _ = probe.Whole.CloseForce() }()
	limit := max(tightBytes, 64*m.ItemBytes)
	if m.Track != nil || probe.Whole.SetLimit(limit) != nil {
		return
	}
	if _, err := probe.AllocContext(expired, 1); err != nil {
		return
	}
	m.tight = m.Whole.SetLimit(limit) == nil
}

// mustGrow reports whether a request needs another chunk, which the pool might not get.
func (m *model[B]) mustGrow(bytes int64) bool {
	s := m.Whole.Stats()
	return s.LargestFree < bytes && s.Reserved > 0
}

// take allocates n items. If a full pool would wait until the time of its rung wait is over, take mostly calls AllocContext, which does not wait, and calls Alloc only
// where there is room.
func (m *model[B]) take(n int) (B, error) {
	if m.Waits && (m.serial%8 > 0 || m.mustGrow(int64(m.Most)*m.ItemBytes)) {
		return m.AllocContext(expired, n)
	}
	return m.Alloc(n)
}

// takeAmongOthers is take while other goroutines use the pool, so the room that is left is not known.
func (m *model[B]) takeAmongOthers(n int) (B, error) {
	if m.Waits {
		return m.AllocContext(expired, n)
	}
	return m.Alloc(n)
}

// fill allocates blocks until the pool is full or the model has reached its bounds. It returns their number.
func (m *model[B]) fill() (n int, err error) {
	for {
		ok, err := m.alloc(1+n%min(m.Most, 16), m.take)
		if err == nil {
			err = m.check()
		}
		if !ok || err != nil {
			return n, err
		}
		n++
	}
}

// enter checks a new block of n items and adds it to the live blocks.
func (m *model[B]) enter(block B, n int) error {
	m.serial++
	h := held[B]{block, m.Extent(block), int64(n) * m.ItemBytes, m.serial}
	if h.extent.Length != uint64(h.bytes) {
		return fmt.Errorf("a block of %d bytes has %d", h.bytes, h.extent.Length)
	}
	if h.extent.Start%uint64(max(m.Align, 1)) != 0 {
		return fmt.Errorf("the block at %#x is not aligned to %d", h.extent.Start, m.Align)
	}
	for _, other := range m.live {
		if h.extent.overlaps(other.extent) {
			return fmt.Errorf("the block of %d bytes at %#x overlaps that of %d bytes at %#x",
				h.extent.Length, h.extent.Start, other.extent.Length, other.extent.Start)
		}
	}
	if m.Memory != nil {
		memory := m.Memory(block)
		if m.Zeroed && !cleared(memory) {
			return fmt.Errorf("the block of %d bytes at %#x is not zero", h.bytes, h.extent.Start)
		}
		mark(memory, h.serial)
	}
	m.live = append(m.live, h)
	m.bytes += h.bytes
	return nil
}

// intact returns an error if the bytes of a live block have changed.
func (m *model[B]) intact(h held[B]) error {
	if m.Memory != nil && !marked(m.Memory(h.block), h.serial) {
		return fmt.Errorf("the block of %d bytes at %#x has changed", h.bytes, h.extent.Start)
	}
	return nil
}

// free frees a live block with a call.
func (m *model[B]) free(at int, call func(B) error) error {
	h := m.leave(at)
	if err := m.intact(h); err != nil {
		return err
	}
	if err := call(h.block); err != nil {
		return fmt.Errorf("free: %w", err)
	}
	return nil
}

// leave removes a block from the live blocks.
func (m *model[B]) leave(at int) held[B] {
	h, last := m.live[at], len(m.live)-1
	m.live[at] = m.live[last]
	m.live = m.live[:last]
	m.bytes -= h.bytes
	return h
}

// clear frees all live blocks.
func (m *model[B]) clear() error {
	for _, h := range m.live {
		if err := m.intact(h); err != nil {
			return err
		}
	}
	if m.Free == nil {
		m.live, m.bytes = nil, 0
		return m.Reset()
	}
	for len(m.live) > 0 {
		if err := m.free(len(m.live)-1, m.Free); err != nil {
			return err
		}
	}
	return nil
}

// check compares the statistics of the pool with the model. No stream may have frees pending.
func (m *model[B]) check() error {
	s := m.Whole.Stats()
	live, bytes := int64(len(m.live)), m.bytes
	if m.Free == nil { // such pools do not count blocks
		live, bytes = s.Live, s.LiveBytes
	}
	switch {
	case s.Live != live, s.LiveBytes != bytes:
		return fmt.Errorf("%d blocks of %d bytes are live, but Stats says %+v", live, bytes, s)
	case s.Reserved > s.Limit, s.Reserved < s.LiveBytes, s.PeakReserved < s.Reserved, s.Pending != 0, s.RoundingBytes < 0, s.Cached < 0:
		return fmt.Errorf("the figures are not consistent: %+v", s)
	}
	return nil
}

// synchronize waits for the streams, and has the pool reclaim what was freed on them.
func (m *model[B]) synchronize() error {
	for _, s := range m.Streams {
		if err := s.Synchronize(); err != nil {
			return err
		}
	}
	m.Whole.Poll()
	return nil
}

// end frees all blocks and closes the pool.
func (m *model[B]) end() error {
	if err := errors.Join(m.synchronize(), m.clear(), m.check()); err != nil {
		return err
	}
	if err := m.Whole.Close(); err != nil {
		return err
	}
	if _, err := m.take(1); !errors.Is(err, poolrt.ErrClosed) {
		return fmt.Errorf("alloc from a closed pool: got %v, want ErrClosed", err)
	}
	return m.Whole.Close()
}

// full reports whether an error means that the pool is full.
func full(err error) bool {
	return errors.Is(err, poolrt.ErrLimit) || errors.Is(err, poolrt.ErrOutOfMemory)
}
