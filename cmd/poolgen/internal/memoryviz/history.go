package memoryviz

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/pickle"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// entry is an event of a pool that the viewer can show.
type entry struct {
	poolrt.FlightEvent
	pool    int
	since   time.Time // the latest time of the pool's events so far: clocks may go back
	pending bool      // a free that a stream has not passed
}

// traces are the histories, one for each device.
func (x *export) traces() *pickle.List {
	devices := 0
	for _, p := range x.places {
		devices = max(devices, p.device+1)
	}
	together := make([][]entry, devices)
	for i, h := range x.histories {
		if len(h) > 0 {
			together[x.devices[i]] = append(together[x.devices[i]], h...)
		}
	}
	list := &pickle.List{}
	for _, h := range together {
		slices.SortStableFunc(h, func(a, b entry) int { return a.since.Compare(b.since) })
		list.Items = append(list.Items, x.trace(h))
	}
	return list
}

// trace writes a history. The viewer takes the two parts of an immediate free for one event if nothing is between them.
func (x *export) trace(h []entry) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, e := range h {
			actions := []string{"free_requested", "free_completed"}
			switch {
			case e.Kind == poolrt.FlightAlloc:
				actions = []string{"alloc"}
			case e.pending:
				actions = actions[:1]
			}
			for _, action := range actions {
				if !yield(pickle.NewDict("action", action, "addr", e.Addr, "size", e.Bytes, "stream", e.Stream,
					"time_us", e.Time.UnixMicro(), "frames", x.stack(e.pool, e.Site))) {
					return
				}
			}
		}
	}
}

// history returns the events of a pool that lead to the state in the snapshot. The viewer undoes them, beginning with the last, and fails if that is
// inconsistent. But the recorder also has frees that were refused, events after the chunk was read, and blocks in chunks that have been returned
// since. Therefore history undoes them first, and leaves out events that do not fit.
func (x *export) history(pool int) []entry {
	p := &x.Pools[pool]
	if len(p.Events) == 0 {
		return nil
	}
	if p.AllAtOnce {
		x.leave("the history of pool %q: its blocks are not freed one by one (%s)", p.Name, p.Suballocator)
		return nil
	}
	w := x.world(pool)
	var list []entry
	gone := 0
	for _, e := range slices.Backward(p.Events) {
		if e.Kind != poolrt.FlightAlloc && e.Kind != poolrt.FlightFree {
			continue
		}
		state, there := w.states[e.Addr], w.has(e)
		switch {
		case !there:
			gone++
		case e.Kind == poolrt.FlightAlloc && state == poolrt.PieceLive:
			w.states[e.Addr] = poolrt.PieceFree
			list = append(list, entry{FlightEvent: e, pool: pool})
		case e.Kind == poolrt.FlightFree && state != poolrt.PieceLive:
			w.states[e.Addr] = poolrt.PieceLive
			list = append(list, entry{FlightEvent: e, pool: pool, pending: state == poolrt.PiecePending})
		}
	}
	if gone > 0 {
		x.leave("%d events of pool %q: the memory was given back since", gone, p.Name)
	}
	slices.Reverse(list)
	latest := time.Time{}
	for i := range list {
		if list[i].Time.After(latest) {
			latest = list[i].Time
		}
		list[i].since = latest
	}
	return list
}

// world is a pool's memory while events are undone.
type world struct {
	places []place                      // by address
	states map[uint64]poolrt.PieceState // of the blocks at an address; free if there is none
}

func (x *export) world(pool int) world {
	w := world{states: map[uint64]poolrt.PieceState{}}
	for _, p := range x.places {
		if p.pool != pool {
			continue
		}
		w.places = append(w.places, p)
		for _, piece := range p.pieces {
			if piece.State == poolrt.PieceLive || piece.State == poolrt.PiecePending {
				w.states[p.addr-p.pieces[0].Off+piece.Off] = piece.State
			}
		}
	}
	return w
}

// has reports whether the block of an event lies in the pool's memory.
func (w world) has(e poolrt.FlightEvent) bool {
	at, exact := slices.BinarySearchFunc(w.places, e.Addr, func(p place, addr uint64) int { return cmp.Compare(p.addr, addr) })
	if !exact {
		at--
	}
	return at >= 0 && e.Addr-w.places[at].addr < w.places[at].size && e.Bytes <= w.places[at].size-(e.Addr-w.places[at].addr)
}
