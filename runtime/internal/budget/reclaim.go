package budget

import (
	"cmp"
	"slices"
	"time"
)

// Giver is a pool as others of its budget see it. Its methods are called without locks, by the goroutine that is in need, and may call functions of the program:
// event hooks and the hooks of the pool itself.
type Giver interface {
	// Uses returns a number that has changed if the memory of the pool was used since the last call.
	Uses() uint64
	// GiveEmpty returns empty chunks that make up so many bytes or, if the pool has less, all; of what its guarantee needs, only the rest of a chunk that goes. to names who
	// needs them.
	GiveEmpty(bytes int64, to string) int64
	// CallHooks calls the hooks of the pool with the bytes that are needed, and returns those that have gone back by then. A hook that is running already is left out.
	CallHooks(bytes int64, to string) int64
	// GiveAsleep puts the pool to sleep, unless it would have to wait for running work, and returns the bytes that have gone back.
	GiveAsleep(to string) int64
}

// Need is what a goroutine needs of a budget.
type Need struct {
	For      string       // the name of the pool or the process in need, for events
	Priority int          // no pool of a higher one is put to sleep for it
	Ways     Ways         // what may be tried
	Lacking  func() int64 // how many bytes are still lacking; 0 or less: none
}

// Reclaim has other members than self give memory back until no bytes are lacking: first the empty chunks of all, then those of pools whose hooks free something, then
// the memory of pools that go to sleep. Each time the lowest priority comes first, then the pool whose memory was used least recently. What is guaranteed to a
// pool is never given to others. The caller holds no lock. Reclaim reports whether to try again: bytes went back, or none were lacking at some moment, though
// somebody else may have been quicker since.
//
// One goroutine reclaims at a time. One that has waited for its turn for patience does not wait longer: the other may be waiting for it, as when a hook allocates. It
// puts no pool to sleep then.
func (b *Budget) Reclaim(self *Member, need Need) (again bool) { return b.reclaims(b, self, need) }

func (b *Budget) reclaim(self *Member, need Need) (again bool) {
	lacking := need.Lacking
	need.Lacking = func() int64 {
		n := lacking()
		again = again || n <= 0
		return n
	}
	if self != nil {
		defer b.needs()()
		b.await()
	}
	if b.turn.take() {
		defer b.turn.pass()
	} else {
		need.Ways &^= Sleep
	}
	for _, way := range []struct {
		Ways
		of func(*Member, Need) int64
	}{{Trim, (*Member).trim}, {Hook, (*Member).hook}, {Sleep, (*Member).sleep}} {
		if need.Ways&way.Ways == 0 {
			continue
		}
		for _, m := range b.givers(self, way.Ways) {
			if need.Lacking() <= 0 {
				return true
			}
			n := way.of(m, need)
			m.given.Add(n)
			again = again || n > 0
		}
	}
	return again || need.Lacking() <= 0
}

// givers lists the members other than self that may have to give in a way, in the order in which they do.
func (b *Budget) givers(self *Member, way Ways) []*Member {
	all := slices.DeleteFunc(b.Members(), func(m *Member) bool { return m == self || m.Reclaim&way == 0 || m.spare() <= 0 })
	if len(all) > 1 {
		for _, m := range all {
			m.look()
		}
	}
	slices.SortStableFunc(all, func(x, y *Member) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), cmp.Compare(x.used.Load(), y.used.Load()))
	})
	return all
}

// spare returns the bytes that the pool holds beyond its guarantee.
func (m *Member) spare() int64 { return m.held.Load() - m.Guarantee }

// look notes whether the memory of the pool was used since the last look. The first look finds out nothing.
func (m *Member) look() {
	n := m.giver.Uses() + 1
	if before := m.seen.Swap(n); before != 0 && before != n {
		m.Touch()
	}
}

func (m *Member) trim(need Need) int64 { return m.giver.GiveEmpty(need.Lacking(), need.For) }

// hook calls the hooks of the pool, and returns what they have left empty, unless that has gone already.
func (m *Member) hook(need Need) int64 {
	given := m.giver.CallHooks(need.Lacking(), need.For)
	if need.Lacking() > 0 {
		given += m.trim(need)
	}
	return given
}

// sleep puts the pool to sleep, unless a pool of lower priority asks for it. Its guarantee stays: the budget keeps that for when it wakes.
func (m *Member) sleep(need Need) int64 {
	if m.Priority > need.Priority {
		return 0
	}
	return m.giver.GiveAsleep(need.For)
}

// turn lets one goroutine reclaim at a time.
type turn struct{ token chan struct{} }

// patience is how long a goroutine waits for its turn.
const patience = 10 * time.Millisecond

func newTurn() turn { return turn{make(chan struct{}, 1)} }

// take reports whether it is the caller's turn, who then ends it with pass.
func (t *turn) take() bool {
	select {
	case t.token <- struct{}{}:
		return true
	default:
	}
	after := time.NewTimer(patience)
	defer after.Stop()
	select {
	case t.token <- struct{}{}:
		return true
	case <-after.C:
		return false
	}
}

func (t *turn) pass() { <-t.token }
