// Package scenario explores suballocators that goroutines share. A [Scenario] is some chunks and what a few threads do with
// them. For each schedule, the results of all operations must be those of a sequential allocator, in some order that agrees
// with the times when the operations began and ended. Afterwards no block has two owners, none is lost, and all counts are
// exact.
package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/schedules/explore/atomic"
)

// Scenario is what is explored. The script of a thread consists of words:
//
//	a      allocate as shells do: AllocFast, then Alloc, then AllocAny. aN: N units
//	A      AllocAny alone; l: Alloc; q: AllocFast; C: AllocOrCount, as in a pool that cannot grow
//	fN     free block N of those that Before allocates, counted from 0
//	fx     free the block that the thread allocated last, if there is one
//	tN     free block N by its address: BlockAt, then Free
//	f@S.N  free what lies N units behind the beginning of chunk S, whatever it is. f@S.N.M: with M units
//	rN.M   free blocks N and M as a run
//	!      hand the last block over; f!: free the block that was handed over, if there is one
//	dN     make block N pending. If that succeeds, c frees the pending block, and b makes it live again
//	+N     add chunk N, which is not there yet
//	eN     Evict chunk N; EN: and add it again if that succeeds
//	X      Shut, unless a block is live
//	u      Usage
//	z      Reset
//
// A suballocator may know other words.
type Scenario struct {
	Name    string
	Chunks  []uint64 // units of each
	Before  string   // what one thread does first; *: allocate one unit until no block is free
	Threads []string
	Only    string // the names of subjects that have it contain this
}

// Pool is a suballocator.
type Pool interface {
	Add(slot uint32, base, size uint64)
	Evict(slot uint32) bool
	Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict)
	AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool)
	Usage() poolimpl.Usage
	Shut(force bool) bool
}

// counter is a suballocator that is full or counted in one step.
type counter interface {
	AllocOrCount(bytes, align uint64) (slot uint32, off uint64, u poolimpl.Usage, ok bool)
}

// streams is a suballocator whose blocks can be pending.
type streams interface {
	Defer(addr, bytes uint64) poolimpl.Verdict
	Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict)
	Reuse(addr, bytes uint64) (slot uint32, off uint64)
}

// finder is a suballocator that finds blocks by their addresses.
type finder interface {
	BlockAt(addr uint64) (slot uint32, off, bytes uint64, ok bool)
}

// Chunks returns the chunks of a map, as roots.
func Chunks[T any](m *poolimpl.ChunkMap[T]) (list []any) {
	for _, chunk := range m.All() {
		list = append(list, chunk)
	}
	return list
}

// Subject is a kind of suballocator.
type Subject struct {
	Name      string
	Unit      uint64 // bytes
	Short     uint64 // so many bytes less than its units does each request have
	New       func() Pool
	Roots     func(p Pool) []any                                            // what has all variables of p, with p; nil: p alone
	Fast      func(p Pool, bytes uint64) (slot uint32, off uint64, ok bool) // AllocFast
	Near      func(p Pool, bytes uint64) (slot uint32, off uint64, ok bool) // Alloc
	Run       func(p Pool, addr, next uint64) poolimpl.Verdict              // frees two blocks as a run; nil if there are none
	Check     func(p Pool)                                                  // panics with a fault if what p has does not fit together
	Word      func(p Pool, word string)                                     // does what other words say; nil if there are none
	Waste     func(s State, units uint64) bool                              // whether a request may fail; nil: if no chunk has room for it
	Forgets   bool                                                          // a free that races with the allocation of its block may be refused
	Partial   bool                                                          // Alloc may fail although a block is free
	Uncounted bool                                                          // allocations are not counted
	Trims     bool                                                          // the free that empties a chunk says so
	Scenarios []Scenario
}

// State is what a sequential allocator has.
type State struct {
	Chunks        uint32 // a bit for each
	live, pending uint64 // a bit for each operation, if its block is live or pending
	run           *run
}

// operation is one of a schedule.
type operation struct {
	thread     int // -1: before
	word       string
	kind       byte
	slot       uint32 // of a chunk
	addr, size uint64 // of a block, in bytes
	next       uint64 // address of the other block of a run; 0 for none
	ok         bool
	verdict    poolimpl.Verdict
	byAddress  bool
	handed     bool // the block was handed over to the thread that frees it
	begun, end int
}

func (o *operation) allocates() bool { return strings.IndexByte("aAlqCb", o.kind) >= 0 }

// run is a schedule of a scenario.
type run struct {
	*Subject
	Scenario
	pool   Pool
	ops    []operation
	box    atomic.Int64 // operation whose block is handed over, plus one
	resets bool         // an operation is Reset
}

// distance is the number of units from one chunk to the next.
const distance = 1 << 12

func (r *run) base(slot uint32) uint64 { return r.Unit * distance * uint64(slot+1) }

// Cases returns the programs of a subject.
func (s *Subject) Cases() (list []explore.Case) {
	for _, sc := range s.Scenarios {
		if strings.Contains(s.Name, sc.Only) {
			list = append(list, explore.Case{Subject: s.Name, Name: sc.Name, Program: s.program(sc)})
		}
	}
	return list
}

// program returns the program of a scenario.
func (s *Subject) program(sc Scenario) explore.Program {
	r := &run{Subject: s, Scenario: sc}
	prog := explore.Program{Setup: r.setup, Finish: r.finish}
	for i, script := range sc.Threads {
		words := strings.Fields(script)
		prog.Threads = append(prog.Threads, func() { r.do(i, words) })
	}
	return prog
}

func (r *run) setup() {
	*r = run{Subject: r.Subject, Scenario: r.Scenario, pool: r.New(), ops: r.ops[:0]}
	script := strings.Join(r.Threads, " ") + " "
	for slot := range r.Chunks {
		if !strings.Contains(script, fmt.Sprintf("+%d ", slot)) {
			r.do(-1, []string{fmt.Sprintf("+%d", slot)})
		}
	}
	r.do(-1, strings.Fields(r.Before))
	roots := []any{r, r.pool}
	if r.Roots != nil {
		roots = append(roots, r.Roots(r.pool)...)
	}
	explore.Identify(roots...)
}

// do runs a script.
func (r *run) do(thread int, words []string) {
	last := -1 // operation that has allocated a block, or made one pending
	for _, word := range words {
		if word == "*" {
			for r.one(thread, "a", &last) {
			}
			continue
		}
		r.one(thread, word, &last)
	}
}

// one runs a word, and reports whether it has allocated a block.
func (r *run) one(thread int, word string, last *int) bool {
	o := operation{thread: thread, word: word, kind: word[0]}
	rest := word[1:]
	switch {
	case word == "!":
		if *last >= 0 {
			r.box.Store(int64(*last) + 1)
			*last = -1
		}
		return false
	case word == "f!":
		n := r.box.Swap(0)
		if n == 0 {
			return false
		}
		o.addr, o.size, o.handed = r.ops[n-1].addr, r.ops[n-1].size, true
	case word == "fx", word == "b", word == "c":
		if *last < 0 {
			return false
		}
		o.addr, o.size = r.ops[*last].addr, r.ops[*last].size
		*last = -1
	case o.kind == 'f', o.kind == 'd':
		o.addr, o.size = r.place(rest)
	case o.kind == 't':
		o.kind, o.byAddress = 'f', true
		o.addr, o.size = r.place(rest)
	case o.kind == 'r':
		first, second, _ := strings.Cut(rest, ".")
		o.addr, o.size = r.place(first)
		o.next, _ = r.place(second)
	case o.allocates():
		o.size = r.Unit*max(1, number(rest)) - r.Short
	case strings.IndexByte("eE+", o.kind) >= 0:
		o.slot = uint32(number(rest))
	}
	r.resets = r.resets || word == "z"
	explore.Note("T%d: %s", thread, word)
	o.begun = explore.Begin()
	result := r.call(&o)
	o.end = explore.End(result)
	r.ops = append(r.ops, o)
	if o.kind == 'E' && o.ok {
		r.one(thread, fmt.Sprintf("+%d", o.slot), last)
	}
	if o.allocates() && o.ok || o.kind == 'd' && o.verdict == poolimpl.Freed {
		*last = len(r.ops) - 1
	}
	return o.allocates() && o.ok
}

// place returns the block that a word names.
func (r *run) place(text string) (addr, size uint64) {
	if at, ok := strings.CutPrefix(text, "@"); ok {
		part := strings.Split(at+".1", ".")
		return r.base(uint32(number(part[0]))) + r.Unit*number(part[1]), r.Unit*number(part[2]) - r.Short
	}
	n := number(text)
	for i := range r.ops {
		if o := &r.ops[i]; o.thread < 0 && o.allocates() && o.ok {
			if n == 0 {
				return o.addr, o.size
			}
			n--
		}
	}
	panic("no block " + text)
}

func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 32)
	if text != "" && err != nil {
		panic(err)
	}
	return n
}

// call calls the suballocator, and returns a number that stands for the result.
func (r *run) call(o *operation) uint64 {
	switch o.kind {
	case 'a', 'A', 'l', 'q', 'C':
		var slot uint32
		var off uint64
		if slot, off, o.ok = r.alloc(o.kind, o.size); o.ok {
			o.slot, o.addr = slot, r.base(slot)+off
		}
		return o.addr
	case 'f':
		size, ok := o.size, true
		if o.byAddress {
			_, _, size, ok = r.pool.(finder).BlockAt(o.addr)
		}
		if o.verdict = poolimpl.Double; ok {
			o.slot, o.verdict = r.pool.Free(o.addr, size)
		}
		return uint64(o.verdict)
	case 'd':
		o.slot, o.verdict = uint32(o.addr/r.base(0)-1), r.pool.(streams).Defer(o.addr, o.size)
		return uint64(o.verdict)
	case 'c':
		o.slot, o.verdict = r.pool.(streams).Reclaim(o.addr, o.size)
		return uint64(o.verdict)
	case 'b':
		var off uint64
		o.slot, off = r.pool.(streams).Reuse(o.addr, o.size)
		o.addr, o.ok = r.base(o.slot)+off, true
	case 'r':
		o.verdict = r.Run(r.pool, o.addr, o.next)
		return uint64(o.verdict)
	case 'e', 'E':
		if o.ok = r.pool.Evict(o.slot); o.ok {
			return 1
		}
	case 'X':
		if o.ok = r.pool.Shut(false); o.ok {
			return 1
		}
	case '+':
		r.pool.Add(o.slot, r.base(o.slot), r.Unit*r.Chunks[o.slot])
	case 'u':
		r.pool.Usage()
	default:
		r.Word(r.pool, o.word)
	}
	return 0
}

func (r *run) alloc(kind byte, bytes uint64) (slot uint32, off uint64, ok bool) {
	if kind == 'q' || kind == 'a' {
		slot, off, ok = r.Fast(r.pool, bytes)
	}
	if kind == 'l' || kind == 'a' && !ok {
		slot, off, ok = r.Near(r.pool, bytes)
	}
	if kind == 'C' {
		slot, off, _, ok = r.pool.(counter).AllocOrCount(bytes, 1)
	}
	if kind == 'A' || kind == 'a' && !ok {
		slot, off, ok = r.pool.AllocAny(bytes, 1)
	}
	return slot, off, ok
}
