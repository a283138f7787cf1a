package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// transfer is a collective, or a transfer between two ranks, as it comes together.
type transfer struct {
	*meeting
	parts []*part // by rank, or sender and receiver
}

// batch is what was called in a group.
type batch struct {
	depth int
	all   []*part
}

// StallTransfer makes the nth transfer that is begun from now on, 1 being the next, never end unless a rank aborts.
func (d *Driver) StallTransfer(nth int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stall = nth
}

// Transfer queues a transfer, at the end of the group if there is one.
func (n NCCL) Transfer(_ abi.Context, t *abi.Transfer) abi.NCCLResult {
	d := n.d
	m, r := n.of(abi.TransferNames[t.Kind], t.Comm)
	defer d.mu.Unlock()
	if r != abi.NCCLSuccess {
		return r
	}
	p, r := d.part(m, *t)
	if r != abi.NCCLSuccess {
		return r
	}
	if b := d.batches[thread()]; b != nil {
		b.all = append(b.all, p)
		return abi.NCCLSuccess
	}
	return d.queue([]*part{p})
}

// queue queues transfers: a stream comes to all of them before it goes on.
func (d *Driver) queue(all []*part) abi.NCCLResult {
	ends := map[*stream][]*meeting{}
	var order []*stream
	for _, p := range all {
		if r := d.join(p); r != abi.Success {
			return abi.NCCLUnhandledCUDA
		}
		if ends[p.s] == nil {
			order = append(order, p.s)
		}
		ends[p.s] = append(ends[p.s], p.t.meeting)
	}
	for _, s := range order {
		d.leave(s, ends[s]...)
	}
	for _, p := range all {
		if p.t.left == 0 && p.t.circular() {
			d.report("%s of rank %d waits for itself: calls that need each other belong into one group", p.name(), p.m.rank)
			p.t.fail(d)
		}
	}
	return abi.NCCLSuccess
}

// join makes a call part of its transfer.
func (d *Driver) join(p *part) abi.Result {
	at, index := p.place()
	t := p.m.of.meetings[at]
	if t == nil {
		t = d.newTransfer(p, at)
	}
	p.t = t
	if first := slices.IndexFunc(t.parts, func(q *part) bool { return q != nil }); first >= 0 && !p.agrees(t.parts[first]) {
		d.report("ranks differ: %v and %v", t.parts[first], p)
		t.fail(d)
		p.m.failed = abi.NCCLInvalidUsage
	}
	t.parts[index] = p
	return d.arrive(t.meeting, p.s, []use{{pieces: p.send}, {pieces: p.recv, write: true}})
}

func (d *Driver) newTransfer(p *part, at place) *transfer {
	parts := len(p.m.of.ranks)
	if at.ends != everyone {
		parts = 2
	}
	streams := parts
	if d.stall > 0 {
		d.stall--
		if d.stall == 0 {
			streams++
		}
	}
	t := &transfer{parts: make([]*part, parts)}
	t.meeting = newMeeting(p.m.ctx, p.name(), streams, func() abi.Result {
		delete(p.m.of.meetings, at)
		return t.run()
	})
	p.m.of.meetings[at] = t
	return t
}

// fail calls a transfer off. Its ranks learn that from CommGetAsyncError.
func (t *transfer) fail(d *Driver) {
	d.callOff(t.meeting)
	for _, p := range t.parts {
		if p != nil {
			p.m.failed = abi.NCCLInvalidUsage
		}
	}
}

// run does the work: it reads what all send, and writes what all receive.
func (t *transfer) run() abi.Result {
	sent := make([][]byte, len(t.parts))
	for i, p := range t.parts {
		sent[i] = aligned(length(p.send))
		if r := move(scratch(sent[i]), p.send); r != abi.Success {
			return r
		}
	}
	p := t.parts[0]
	var all []byte
	switch p.Kind {
	case abi.AllReduce, abi.ReduceScatter:
		all = reduce(p.Op, p.Type, sent)
	default: // nobody sends but the root, or the sender
		all = slices.Concat(sent...)
	}
	for i, p := range t.parts {
		part := all
		if n := length(p.recv); p.Kind == abi.ReduceScatter {
			part = all[uint64(i)*n:][:n]
		}
		if r := move(p.recv, scratch(part)); r != abi.Success {
			return r
		}
	}
	return abi.Success
}

// length returns the bytes of pieces.
func length(pieces []piece) (n uint64) {
	for _, p := range pieces {
		n += p.n
	}
	return n
}
