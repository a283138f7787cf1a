package cuda

import (
	"slices"
	"sync"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// chunkSource maps chunks into ranges of addresses, each at the lowest free addresses of the first range with room, which keeps the pool compact.
type chunkSource struct {
	*ranges
	grows bool // there may be more ranges than one
	lazy  bool // there may be none

	places sync.Mutex
	rows   []*chunkRow
}

// chunkRow is a range of addresses.
type chunkRow struct {
	*reservation
	free []extent // parts that no chunk has, ascending, none next to another
}

func newChunkSource(v *ranges, grows bool) *chunkSource {
	return &chunkSource{ranges: v, grows: grows, rows: []*chunkRow{newChunkRow(v.first())}}
}

// newBeside returns a source of chunks that lie in other ranges than those of a pool with pages. It has none until the first chunk.
func newBeside(v *ranges) *chunkSource {
	return &chunkSource{ranges: &ranges{mapped: v.mapped, align: v.align, memory: v.memory, usual: v.usual, most: poolrt.NoLimit, whole: v.whole}, grows: true, lazy: true}
}

// has reports whether an address lies in a range of the source.
func (s *chunkSource) has(addr uint64) bool {
	s.places.Lock()
	defer s.places.Unlock()
	return slices.ContainsFunc(s.rows, func(r *chunkRow) bool { return addr-uint64(r.base) < uint64(r.size) })
}

func newChunkRow(r *reservation) *chunkRow { return &chunkRow{r, []extent{{0, r.size}}} }

func (s *chunkSource) Alloc(size, align int64) (poolimpl.Chunk, error) {
	row, at, err := s.take(size, align)
	if err != nil {
		return poolimpl.Chunk{}, &poolimpl.NoAddresses{Need: size, Cause: err}
	}
	return s.supply(row, at)
}

// supply maps memory to a place, which is free again if that fails.
func (s *chunkSource) supply(row *chunkRow, at extent) (poolimpl.Chunk, error) {
	if err := row.mapAll([]extent{at}); err != nil {
		if row.holds(at) { // the driver did not unmap it
			return row.chunk(at), err
		}
		s.give(row, at)
		return poolimpl.Chunk{}, err
	}
	return row.chunk(at), nil
}

// allocBehind maps a chunk right behind another, in the same range.
func (s *chunkSource) allocBehind(end uint64, size int64) (poolimpl.Chunk, error) {
	if s.whole { // what is mapped at two times has two handles
		return poolimpl.Chunk{}, poolimpl.ErrApart
	}
	row := s.row(end - 1)
	at := row.offsets(end, size)
	if !s.takeAt(row, at) {
		return poolimpl.Chunk{}, poolimpl.ErrApart
	}
	return s.supply(row, at)
}

// chunk returns an extent as a chunk.
func (v *reservation) chunk(at extent) poolimpl.Chunk {
	return poolimpl.Chunk{Addr: uint64(v.base) + uint64(at.from), Size: at.to - at.from}
}

func (s *chunkSource) Free(c poolimpl.Chunk) error {
	row := s.row(c.Addr)
	at := row.offsets(c.Addr, c.Size)
	if err := row.unmap(at); err != nil {
		return err
	}
	s.give(row, at)
	return nil
}

// row returns the range that an address lies in.
func (s *chunkSource) row(addr uint64) *chunkRow {
	r := s.of(addr)
	s.places.Lock()
	defer s.places.Unlock()
	return s.rows[slices.IndexFunc(s.rows, func(x *chunkRow) bool { return x.reservation == r })]
}

// take finds a place for size bytes, reserving another range if there is none.
func (s *chunkSource) take(size, align int64) (*chunkRow, extent, error) {
	s.places.Lock()
	defer s.places.Unlock()
	for _, row := range s.rows {
		if at, ok := row.take(size, align); ok {
			return row, at, nil
		}
	}
	if !s.grows {
		return nil, extent{}, poolimpl.ErrOneRange
	}
	r, err := s.more(up(size+max(align-s.align, 0), s.page))
	if err != nil {
		return nil, extent{}, err
	}
	row := newChunkRow(r)
	s.rows = append(s.rows, row)
	at, _ := row.take(size, align)
	return row, at, nil
}

// take finds the lowest place for size bytes.
func (r *chunkRow) take(size, align int64) (at extent, ok bool) {
	for i, e := range r.free {
		from := e.from + -(int64(r.base)+e.from)&(align-1)
		if from+size > e.to {
			continue
		}
		at = extent{from, from + size}
		r.cut(i, at)
		return at, true
	}
	return extent{}, false
}

// takeAt takes a place, and reports false if it is not free.
func (s *chunkSource) takeAt(row *chunkRow, at extent) bool {
	s.places.Lock()
	defer s.places.Unlock()
	i := slices.IndexFunc(row.free, func(e extent) bool { return e.from <= at.from && at.to <= e.to })
	if i >= 0 {
		row.cut(i, at)
	}
	return i >= 0
}

// cut takes a place out of a free part.
func (r *chunkRow) cut(i int, at extent) {
	e := r.free[i]
	r.free = slices.Delete(r.free, i, i+1)
	r.insert(extent{e.from, at.from})
	r.insert(extent{at.to, e.to})
}

// give frees a place.
func (s *chunkSource) give(row *chunkRow, e extent) {
	s.places.Lock()
	defer s.places.Unlock()
	row.insert(e)
}

// insert adds an extent and joins it with its neighbours.
func (r *chunkRow) insert(e extent) {
	if e.from == e.to {
		return
	}
	i := 0
	for i < len(r.free) && r.free[i].from < e.from {
		i++
	}
	if i < len(r.free) && r.free[i].from == e.to {
		r.free[i].from = e.from
	} else {
		r.free = slices.Insert(r.free, i, e)
	}
	if i > 0 && r.free[i-1].to == r.free[i].from {
		r.free[i-1].to = r.free[i].to
		r.free = slices.Delete(r.free, i, i+1)
	}
}

// tidy frees the ranges without chunks, except the first. What the driver refuses to free stays.
func (s *chunkSource) tidy() {
	s.places.Lock()
	defer s.places.Unlock()
	s.rows = slices.DeleteFunc(s.rows, func(r *chunkRow) bool {
		empty := len(r.free) == 1 && r.free[0] == extent{0, r.size}
		return empty && (r.reservation != s.first() || s.lazy) && s.less(r.reservation) == nil
	})
}
