package poolimpl

import "sync"

// orderTrack records which streams have used which bytes, and checks that each new use is ordered after the earlier ones.
type orderTrack struct {
	mu   sync.Mutex
	rig  *streamRig
	uses map[uint64][]streamUse // by byte
}

type streamUse struct {
	s  Stream
	at uint64
}

// trackOrder checks the allocations of a pool from now on, and the chunks that it releases.
func trackOrder(p *streamRig) *orderTrack {
	o := &orderTrack{rig: p, uses: map[uint64][]streamUse{}}
	p.source.onTake = func(c Chunk) { o.check("the source", c.Addr, uint64(c.Size), nil) }
	return o
}

// handed checks a block that was handed out for use on a stream or, with nil, anywhere.
func (o *orderTrack) handed(b block, on *Stream) { o.check("a request", b.addr, b.bytes, on) }

func (o *orderTrack) check(who string, addr, bytes uint64, on *Stream) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for a := addr; a < addr+bytes; a++ {
		for _, u := range o.uses[a] {
			if !o.rig.line.ordered(u.s, u.at, on) {
				o.rig.t.Errorf("%s gets byte %d for %v but %v may still use it (position %d)", who, a, on, u.s, u.at)
				return
			}
		}
		delete(o.uses, a)
	}
}

// use queues work with a block on a stream.
func (o *orderTrack) use(b block, s Stream) {
	at := o.rig.line.use(s)
	o.mu.Lock()
	defer o.mu.Unlock()
	for a := b.addr; a < b.addr+b.bytes; a++ {
		o.uses[a] = append(o.uses[a], streamUse{s, at})
	}
}
