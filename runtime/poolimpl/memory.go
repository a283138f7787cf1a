package poolimpl

import (
	"context"
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// memory is where chunks come from. Its Source is nil in a pool of numbers, and until a Binder has bound the pool.
type memory struct {
	Bound
	layout layout // chunked; between bind and unbind it may be paged
	chunk  int64  // usual size of a chunk or page: Config.ChunkSize, or what WithChunkSize has made of it
	// chunk in whole units of the source, and the size of the next chunk: unit, or more for Config.Double
	unit, next int64
	places     chunkRange     // where chunks lie, if the core gains from that
	single     bool           // the pool never has more than one chunk
	endings    []func() error // what unbind could not return yet
	stopWatch  func()         // ends the calls of streamEnds
	meter      meter
	registrars *registrars // nil without the key registered
}

// measure sets the sizes of chunks, for a pool that has none.
func (m *memory) measure() {
	m.unit = roundUp(m.chunk, m.Granularity)
	m.next = m.unit
}

// page returns the size of a page, 0 for memory that comes as chunks.
func (m *memory) page() int64 {
	if m.Pages == nil {
		return 0
	}
	return m.Pages.PageSize()
}

// pieces returns the number of chunks, or of the pages in them.
func (m *memory) pieces(chunks []Chunk) (n int64) {
	page := m.page()
	if page == 0 {
		return int64(len(chunks))
	}
	for _, c := range chunks {
		n += c.Size / page
	}
	return n
}

// growable returns the largest chunk that the core can manage, in whole units of the source; largest is Config.MaxChunk. It bounds chunks that are larger
// than their request.
func (m *memory) growable(largest int64) int64 {
	if largest == 0 {
		largest = poolrt.NoLimit - 1
	}
	return roundDown(largest, m.Granularity)
}

// inUse adds up the chunks and pages that have live blocks, are in flight or are shared, without those that the source refused to take back. In a pool of
// numbers, all of them count: Track supplied them.
func (m *memory) inUse(l *limits, unreturned []Chunk) int64 {
	if m.Source == nil {
		return l.reserved
	}
	n := l.held() - sizeOf(unreturned)
	for s := range m.layout.surplus(lastFirst) {
		n -= int64(s.Size)
	}
	return n
}

// need returns the size of a chunk that is sure to serve the request; NoLimit if none is.
func (m *memory) need(core Core, r request) int64 {
	n := core.Need(r.bytes, r.align)
	if n-1 >= uint64(poolrt.NoLimit-m.Granularity) { // also if n is 0
		return poolrt.NoLimit
	}
	return roundUp(int64(n), m.Granularity)
}

// clear clears a chunk. The caller does not hold e.mu.
func (m *memory) clear(c Chunk, size int64) error {
	if m.Zero != nil {
		return errors.Join(m.Zero(c), m.Zeroed())
	}
	clear(unsafeBytes(c.Ptr, size))
	return nil
}

// free returns one chunk to the source. The caller does not hold e.mu.
func (m *memory) free(c Chunk) error {
	defer m.meter.end(m.meter.begin())
	if err := m.registrars.goes(c); err != nil {
		return err
	}
	err := m.giveBack(c)
	if err != nil { // the pool still has the chunk, and may use it
		err = errors.Join(err, m.registrars.came(c))
	}
	return err
}

// giveBack returns a chunk to where it came from.
func (m *memory) giveBack(c Chunk) error {
	if mine, err := m.places.free(c); mine {
		return err
	}
	return m.Source.Free(c)
}

// runEndings calls stop, unless it is nil, and the endings. The next call tries again those that fail. The lock is released meanwhile.
func (m *memory) runEndings(a *activity, stop func()) error {
	endings := m.endings
	if stop == nil && len(endings) == 0 {
		return nil
	}
	m.endings = nil
	var errs []error
	var left []func() error
	a.visit(func() {
		if stop != nil {
			stop()
		}
		for _, end := range endings {
			if err := end(); err != nil {
				errs, left = append(errs, err), append(left, end)
			}
		}
	})
	m.endings = append(m.endings, left...)
	return errors.Join(errs...)
}

// sleeping is what a layout does so that its pool can sleep. It is [paged], as an interface, so that programs without pages do not link it. What its methods need
// is that sleeper is not nil.
type sleeping interface {
	sleeper() Sleeper // nil: the source has none
	rest(context.Context, registry.Sleep) error
	fallAsleep(ctx context.Context, keep bool) error
	wake(context.Context) (int64, error)
	reserveBacking(bytes int64) error
	dropBacking() error
}

// sleeping returns the layout of a pool that can sleep, nil for another.
func (m *memory) sleeping() sleeping {
	if s, ok := m.layout.(sleeping); ok && s.sleeper() != nil {
		return s
	}
	return nil
}
