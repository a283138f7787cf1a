package harness

import (
	"errors"
	"sync"
	"time"
)

// fakePool stands for a generated pool: it serves requests up to a limit, and checks that each block is live once.
type fakePool struct {
	mu         sync.Mutex
	live, peak int
	limit      int
	item       int // bytes; 0: a span, of items of 4 bytes
	sizes      []int
	gives      bool // memory back at once
	reserved   int
	watch      func(int64)
	calls      int
}

var errLimit = errors.New("limit reached")

func (p *fakePool) take(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live+n > p.limit {
		return errLimit
	}
	p.live += n
	p.peak = max(p.peak, p.live)
	if p.live > p.reserved || p.gives && p.live < p.reserved {
		p.reserved = p.live
		p.calls++
		if p.watch != nil {
			p.watch(int64(p.reserved))
		}
	}
	return nil
}

func (p *fakePool) Calls() int64 { return int64(p.calls) }

func (p *fakePool) Time() time.Duration { return time.Duration(p.calls) }

// play is the loop that the replay command writes for each pool.
func (p *fakePool) play(part *Part) error {
	for i, e := range part.Events {
		if e.Free {
			if e.Shared {
				part.Await(e.Slot)
			}
			n := p.sizes[e.Slot]
			if n == 0 {
				continue
			}
			if err := p.take(-n); err != nil {
				return part.Refused(i, err)
			}
			p.sizes[e.Slot] = 0
			continue
		}
		n := max(4*e.Items, p.item)
		if e.Items == 0 {
			part.Fail(i, nil)
		} else if err := p.take(n); err != nil {
			part.Fail(i, err)
		} else if p.sizes[e.Slot] != 0 {
			return errors.New("two blocks in one slot")
		} else {
			p.sizes[e.Slot] = n
		}
		if e.Shared {
			part.Publish(e.Slot)
		}
	}
	return nil
}

// described returns the pool as an adapter describes it. change may modify each new pool.
func (p *fakePool) described(change func(*fakePool)) Pool {
	pool := Pool{Item: 4}
	if p.item > 0 {
		pool.Item, pool.Single = uint64(p.item), true
	}
	pool.Open = func(s Setup) (Instance, error) {
		q := &fakePool{limit: p.limit, item: p.item, gives: p.gives, sizes: make([]int, s.Slots)}
		if s.Slots > 0 && change != nil { // not the pool that try opens
			change(q)
		}
		return Instance{
			Play:      q.play,
			Stats:     func() Stats { return Stats{int64(q.reserved), int64(q.peak), int64(q.peak)} },
			Meter:     q,
			Watch:     func(f func(int64)) func() { q.watch = f; return func() { q.watch = nil } },
			Effective: func() (string, string) { return "host", "" },
			Close:     func() error { return nil },
		}, nil
	}
	return pool
}

// event is an event of a trace; bytes is 0 for a free.
type event struct {
	slot, stream int
	bytes        uint64
}

func tapeOf(events ...event) *Tape {
	tape := &Tape{}
	for i, e := range events {
		code := uint32(e.slot) << 1
		if e.bytes == 0 {
			code++
		}
		tape.Codes, tape.Sizes = append(tape.Codes, code), append(tape.Sizes, e.bytes)
		tape.On, tape.Times = append(tape.On, uint16(e.stream)), append(tape.Times, uint64(i))
		tape.Slots, tape.Streams = max(tape.Slots, e.slot+1), max(tape.Streams, e.stream+1)
	}
	return tape
}

// trace returns events of one stream, given as pairs of slot and bytes.
func trace(pairs ...[2]uint64) *Tape {
	var events []event
	for _, p := range pairs {
		events = append(events, event{slot: int(p[0]), bytes: p[1]})
	}
	return tapeOf(events...)
}
