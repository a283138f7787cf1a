package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// limits counts bytes. reserved + growing <= limit, and bound <= limit. Growth keeps reserved + growing <= bound; while SetLimit is at work, reserved may
// exceed bound. While growing > 0, one caller is obtaining that many bytes from the source, and has reserved them in the budget. releasing is a part of
// reserved.
type limits struct {
	limit     int64 // in force: Config.Limit, or what WithLimit and SetLimit have made of it
	soft      int64 // Config.SoftLimit
	bound     int64 // of growth: limit, or lower while SetLimit is at work
	reserved  int64 // bytes that the source has supplied and not got back
	growing   int64 // bytes that one caller is obtaining from the source; 0: none is
	releasing int64 // bytes of reserved that callers are returning
	released  int64 // bytes that the source has got back so far
	chunks    int64 // number of chunks, or of pages, that make up reserved
	primes    int64 // calls of Prime so far that have reserved all
	primed    int64 // the most that one of them has asked for since Trim
}

// held returns the bytes that are reserved and are not being returned.
func (l *limits) held() int64 { return l.reserved - l.releasing }

// room returns the bytes that the limit and the budget leave.
func (l *limits) room(b *budget.Member) int64 { return min(l.bound-l.reserved, b.Available()) }

// claim reserves want bytes for growth or, if there is less room, as many whole units as there is room for, at least need bytes. It returns 0 if there is no
// room for need.
func (l *limits) claim(b *budget.Member, unit, need, want int64) int64 {
	for {
		size := min(want, roundDown(l.room(b), unit))
		if size < need {
			return 0
		}
		if b.Reserve(size) {
			l.growing = size
			return size
		}
	}
}

// claimExactly reserves size bytes for one block, or says why it cannot.
func (l *limits) claimExactly(b *budget.Member, size int64) error {
	switch {
	case size > min(l.limit, b.Budget().Limit()):
		return poolrt.ErrTooLarge
	case l.growing > 0 || size > l.bound-l.reserved || !b.Reserve(size):
		return poolrt.ErrLimit
	}
	l.growing = size
	return nil
}

// sub subtracts chunks that the source has got back.
func (l *limits) sub(b *budget.Member, bytes, chunks int64) {
	l.reserved -= bytes
	l.chunks -= chunks
	l.released += bytes
	b.Release(bytes)
}
