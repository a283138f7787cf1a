package simulator

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// communicators is the state of the simulated NCCL.
type communicators struct {
	byID    map[abi.NCCLID]*communicator
	members map[abi.Comm]*member
	batches map[int]*batch // groups, by thread
	stall   int            // transfers until one never ends; 0: none
}

func newCommunicators() communicators {
	return communicators{byID: map[abi.NCCLID]*communicator{}, members: map[abi.Comm]*member{}, batches: map[int]*batch{}}
}

// communicator is what ranks have in common.
type communicator struct {
	ranks    []*member // by number; nil has not come
	left     int       // that are yet to come
	meetings map[place]*transfer
}

// member is a rank.
type member struct {
	handle abi.Comm
	of     *communicator
	rank   int
	ctx    *context
	count  map[[3]int]int // of its transfers so far, by the ends, and which of them it is
	failed abi.NCCLResult // for CommGetAsyncError
	known  map[uintptr]region
}

// region is memory that a rank has registered.
type region struct{ from, bytes uint64 }

// CommInitRank makes the rank on the current device, and waits for the others.
func (n NCCL) CommInitRank(ranks int, id abi.NCCLID, rank int) (abi.Comm, abi.NCCLResult) {
	d := n.d
	r := n.begin("ncclCommInitRank")
	defer d.mu.Unlock()
	c := d.context(d.current[thread()])
	switch {
	case r != abi.NCCLSuccess:
		return 0, r
	case ranks < 1 || rank < 0 || rank >= ranks || c == nil:
		return 0, abi.NCCLInvalidArgument
	case d.batches[thread()] != nil:
		return 0, abi.NCCLInvalidUsage
	}
	of := d.byID[id]
	if of == nil {
		of = &communicator{ranks: make([]*member, ranks), left: ranks, meetings: map[place]*transfer{}}
		d.byID[id] = of
	}
	if len(of.ranks) != ranks || of.ranks[rank] != nil {
		d.report("ncclCommInitRank: rank %d of %d comes to %d ranks of which %d are still to come", rank, ranks, len(of.ranks), of.left)
		return 0, abi.NCCLInvalidUsage
	}
	m := &member{handle: abi.Comm(d.handle(KindComm)), of: of, rank: rank, ctx: c, count: map[[3]int]int{}, known: map[uintptr]region{}}
	of.ranks[rank] = m
	of.left--
	d.members[m.handle] = m
	d.born(KindComm, uint64(m.handle), 0)
	d.met.Broadcast()
	for of.left > 0 {
		if !d.await() {
			return 0, abi.NCCLInternalError
		}
	}
	return m.handle, abi.NCCLSuccess
}

// report notes a finding about a call.
func (d *Driver) report(format string, args ...any) {
	d.bad = append(d.bad, fmt.Sprintf(format, args...)+" at "+caller())
}

// of is begin for a function of a rank.
func (n NCCL) of(function string, c abi.Comm) (*member, abi.NCCLResult) {
	r := n.begin(function)
	m := n.d.members[c]
	if r == abi.NCCLSuccess && m == nil {
		n.d.badRelease(function, uint64(c))
		r = abi.NCCLInvalidArgument
	}
	return m, r
}

// CommDestroy ends a rank. Memory that it has registered stays so: that is a leak.
func (n NCCL) CommDestroy(c abi.Comm) abi.NCCLResult {
	m, r := n.of("ncclCommDestroy", c)
	defer n.d.mu.Unlock()
	if r == abi.NCCLSuccess {
		n.d.endMember(m)
	}
	return r
}

// CommAbort ends a rank and what it has begun. The other ranks learn that from CommGetAsyncError.
func (n NCCL) CommAbort(c abi.Comm) abi.NCCLResult {
	m, r := n.of("ncclCommAbort", c)
	defer n.d.mu.Unlock()
	if r != abi.NCCLSuccess {
		return r
	}
	for _, t := range m.of.meetings {
		n.d.callOff(t.meeting)
	}
	for _, other := range m.of.ranks {
		if other != m && other.failed == abi.NCCLSuccess {
			other.failed = abi.NCCLRemoteError
		}
	}
	for h := range m.known {
		n.d.died(KindKnown, uint64(h))
	}
	n.d.endMember(m)
	return abi.NCCLSuccess
}

func (d *Driver) endMember(m *member) {
	delete(d.members, m.handle)
	d.died(KindComm, uint64(m.handle))
}

// CommGetAsyncError returns what has gone wrong in the work of a rank.
func (n NCCL) CommGetAsyncError(c abi.Comm) (abi.NCCLResult, abi.NCCLResult) {
	m, r := n.of("ncclCommGetAsyncError", c)
	defer n.d.mu.Unlock()
	if r != abi.NCCLSuccess {
		return 0, r
	}
	return m.failed, r
}

// CommCount returns the number of ranks.
func (n NCCL) CommCount(c abi.Comm) (int, abi.NCCLResult) {
	return n.about("ncclCommCount", c, func(m *member) int { return len(m.of.ranks) })
}

// CommUserRank returns the number of the rank.
func (n NCCL) CommUserRank(c abi.Comm) (int, abi.NCCLResult) {
	return n.about("ncclCommUserRank", c, func(m *member) int { return m.rank })
}

// CommCuDevice returns the device.
func (n NCCL) CommCuDevice(c abi.Comm) (int, abi.NCCLResult) {
	return n.about("ncclCommCuDevice", c, func(m *member) int { return m.ctx.dev.ordinal })
}

func (n NCCL) about(function string, c abi.Comm, value func(*member) int) (int, abi.NCCLResult) {
	m, r := n.of(function, c)
	defer n.d.mu.Unlock()
	if r != abi.NCCLSuccess {
		return 0, r
	}
	return value(m), r
}

// CommRegister notes that a rank knows memory.
func (n NCCL) CommRegister(c abi.Comm, p abi.Ptr, bytes uint64) (uintptr, abi.NCCLResult) {
	m, r := n.of("ncclCommRegister", c)
	defer n.d.mu.Unlock()
	if r != abi.NCCLSuccess {
		return 0, r
	}
	if _, r := n.d.resolve(p, bytes); r != abi.Success || bytes == 0 {
		return 0, abi.NCCLInvalidArgument
	}
	h := n.d.handle(KindKnown)
	m.known[uintptr(h)] = region{uint64(p), bytes}
	n.d.born(KindKnown, h, bytes)
	return uintptr(h), abi.NCCLSuccess
}

// CommDeregister is the reverse of CommRegister.
func (n NCCL) CommDeregister(c abi.Comm, handle uintptr) abi.NCCLResult {
	m, r := n.of("ncclCommDeregister", c)
	defer n.d.mu.Unlock()
	if r != abi.NCCLSuccess {
		return r
	}
	if _, ok := m.known[handle]; !ok {
		n.d.badRelease("ncclCommDeregister", uint64(handle))
		return abi.NCCLInvalidArgument
	}
	delete(m.known, handle)
	n.d.died(KindKnown, uint64(handle))
	return abi.NCCLSuccess
}

// remove removes a span. Memory that NCCL knows must not go.
func (d *Driver) remove(s *span) {
	d.addresses.remove(s)
	for _, m := range d.members {
		for _, k := range m.known {
			if uint64(s.base) < k.from+k.bytes && k.from < uint64(s.base)+s.size {
				d.report("memory at %#x goes while rank %d has it registered", uint64(s.base), m.rank)
			}
		}
	}
}
