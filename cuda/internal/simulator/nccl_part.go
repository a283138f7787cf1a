package simulator

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

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
