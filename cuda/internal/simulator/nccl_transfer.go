package simulator

import (
	"fmt"
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// transfer is a collective, or a transfer between two ranks, as it comes together.
type transfer struct {
	*meeting
	parts []*part // by rank, or sender and receiver
}

// part is what one rank calls.
type part struct {
	abi.Transfer
	m          *member
	s          *stream
	t          *transfer
	send, recv []piece
}

// place says which transfer of a communicator a call belongs to: who takes part, and the number of it among theirs.
type place struct {
	ends   [2]int
	number int
}

// everyone stands for the ends of a collective.
var everyone = [2]int{-1, -1}

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

// part checks a call. Streams that are being captured are refused, which NCCL does not do.
func (d *Driver) part(m *member, t abi.Transfer) (*part, abi.NCCLResult) {
	ranks := len(m.of.ranks)
	if uint(t.Type) >= uint(len(abi.NCCLTypes)) || uint(t.Op) >= abi.NCCLOps || uint(t.Peer) >= uint(ranks) {
		return nil, abi.NCCLInvalidArgument
	}
	s, r := d.stream(m.ctx, t.Stream)
	if r != abi.Success {
		return nil, abi.NCCLInvalidArgument
	}
	if s.capture != nil {
		d.report("%s: the simulated NCCL cannot be captured", abi.TransferNames[t.Kind])
		return nil, abi.NCCLInvalidUsage
	}
	p := &part{Transfer: t, m: m, s: s}
	send, recv := p.bytes()
	var sent, received abi.Result
	p.send, sent = d.memory(p, t.Send, send, false)
	p.recv, received = d.memory(p, t.Recv, recv, true)
	if sent != abi.Success || received != abi.Success {
		d.report("%s: rank %d has no memory for %d bytes at %#x, or %d at %#x", p.name(), m.rank, send, uint64(t.Send), recv, uint64(t.Recv))
		return nil, abi.NCCLInvalidArgument
	}
	return p, abi.NCCLSuccess
}

// memory finds the memory of one side of a call.
func (d *Driver) memory(p *part, at abi.Ptr, bytes uint64, write bool) ([]piece, abi.Result) {
	switch {
	case bytes == 0:
		return nil, abi.Success
	case at == 0:
		return nil, abi.InvalidValue
	}
	return d.pieces(side{ptr: at}, p.m.ctx.dev, bytes, write)
}

func (p *part) name() string { return abi.TransferNames[p.Kind] }

// bytes returns what a call reads and writes.
func (p *part) bytes() (send, recv uint64) {
	one := p.Count * abi.NCCLTypes[p.Type]
	all := one * uint64(len(p.m.of.ranks))
	switch p.Kind {
	case abi.AllGather:
		return one, all
	case abi.ReduceScatter:
		return all, one
	case abi.Send:
		return one, 0
	case abi.Recv:
		return 0, one
	case abi.Broadcast:
		if int(p.Peer) != p.m.rank {
			return 0, one
		}
	}
	return one, one
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

// place returns which transfer a call belongs to, and its part there. Transfers are in the order of the calls of each rank.
func (p *part) place() (at place, index int) {
	at, index = place{ends: everyone}, p.m.rank
	switch p.Kind {
	case abi.Send:
		at.ends, index = [2]int{p.m.rank, int(p.Peer)}, 0
	case abi.Recv:
		at.ends, index = [2]int{int(p.Peer), p.m.rank}, 1
	}
	counted := [3]int{at.ends[0], at.ends[1], index}
	if at.ends == everyone {
		counted[2] = 0
	}
	at.number = p.m.count[counted]
	p.m.count[counted]++
	return at, index
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

// agrees reports whether two ranks call the same.
func (p *part) agrees(q *part) bool {
	same := p.Count == q.Count && p.Type == q.Type
	if p.Kind == abi.Send || p.Kind == abi.Recv {
		return same
	}
	return same && p.Kind == q.Kind && p.Op == q.Op && p.Peer == q.Peer
}

// String describes a call.
func (p *part) String() string {
	return fmt.Sprintf("%s of rank %d with %d items of type %d, operation %d, root %d", p.name(), p.m.rank, p.Count, p.Type, p.Op, p.Peer)
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
