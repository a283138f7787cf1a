package blocks

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
)

// value is the known value of an expression.
type value struct {
	site int // number of a site, from 1; 0: unknown
	cut  cut
	null bool // certainly nil; site is 0
}

// key returns a number that is equal for equal values.
func (v value) key() int { return v.site<<4 | int(v.cut)<<1 | bit(v.null) }

// asNumber returns the address of a block as a number.
func (v value) asNumber() value {
	if v.site > 0 {
		v.cut = number
	}
	return v
}

// recast returns a block that a conversion of its pointer gives.
func (v value) recast() value {
	if v.site > 0 && v.cut != number {
		v.cut = cast
	}
	return v
}

// cut says which part of a block a value is.
type cut uint8

const (
	whole     cut = iota
	shortened     // from its start, with another length
	inner         // from elsewhere, or something inside
	element       // one block of a batch
	cast          // made from it by a conversion: a part or all of it
	number        // its address as a number, which gives no access to the memory
)

// status is the status of a block.
type status uint8

const (
	unborn  status = iota // not allocated on this path, or the allocation failed: variables that hold it are nil
	live                  // to be freed by this function
	kept                  // in a structure that is responsible for it; this function may free it all the same
	freed                 // freed by this function
	refused               // the free has failed
	gone                  // handed on: nothing more is reported about it
)

// state is a block in a world.
type state struct {
	status status
	told   bool      // a use after the free was reported
	reset  bool      // freed together with all other blocks
	hidden bool      // a number for the block decides something: the block is no leak
	at     token.Pos // place of the free
	stream string    // stream with work on the block since the last wait; "" for none
	busy   token.Pos // where
	idle   bool      // that call has failed: the stream has no work
	worker token.Pos // start of a goroutine that uses the block and was not waited for
	taken  token.Pos // start of a goroutine, or call of Cleanup, that frees the block
}

// link is a variable that reports whether a call has succeeded.
type link struct {
	work token.Pos // the call, if it gives a stream work
	site int
	ok   bool // true means success; else the variable is an error
	free bool // the call was a free; else an allocation
	with bool // the call was one of With
}

// held is a deferred call with the blocks that were its arguments.
type held struct {
	call int // index in function.deferred
	arg  value
}

// world is the state of a path.
type world struct {
	env    map[types.Object]value
	sites  []state
	links  map[types.Object]link
	conds  map[string]bool
	consts map[types.Object]constant.Value // of variables that hold a constant
	paths  map[string]value                // blocks in fields and elements, by the key of the expression
	marks  map[types.Object]uint64         // blocks live when a mark was made, a bit each
	defers []held
	moved  bool // other code may have changed any field or element
	broken bool // a free has failed: nothing more is reported on this path

	last token.Pos // end of the last node of the path
	turn token.Pos // the continue by which the path came to the latest turn of a loop; token.NoPos: by none
}

func newWorld() *world {
	return &world{env: map[types.Object]value{}, links: map[types.Object]link{}, conds: map[string]bool{},
		consts: map[types.Object]constant.Value{}, paths: map[string]value{}, marks: map[types.Object]uint64{}}
}

func (w *world) clone() *world {
	return &world{maps.Clone(w.env), slices.Clone(w.sites), maps.Clone(w.links), maps.Clone(w.conds), maps.Clone(w.consts), maps.Clone(w.paths),
		maps.Clone(w.marks), slices.Clone(w.defers), w.moved, w.broken, w.last, w.turn}
}

// state returns the state of a block.
func (w *world) state(site int) *state {
	for len(w.sites) < site {
		w.sites = append(w.sites, state{})
	}
	return &w.sites[site-1]
}

// key returns a key that is equal for equal worlds.
func (w *world) key() string {
	b := make([]byte, 0, 128)
	num := func(n int) { b = append(strconv.AppendInt(b, int64(n), 36), ' ') }
	for _, o := range objects(w.env) {
		v := w.env[o]
		num(int(o.Pos()))
		num(v.key())
	}
	b = append(b, byte('0'+bit(w.broken)<<1|bit(w.moved)))
	for _, s := range w.sites {
		num(int(s.status)<<4 | bit(s.hidden)<<3 | bit(s.idle)<<2 | bit(s.told)<<1 | bit(s.reset))
		num(int(s.at))
		num(int(s.busy))
		num(int(s.worker))
		num(int(s.taken))
		b = append(b, s.stream...)
	}
	b = append(b, '|')
	for _, o := range objects(w.links) {
		l := w.links[o]
		num(int(o.Pos()))
		num(int(l.work))
		num(l.site<<3 | bit(l.ok)<<2 | bit(l.free)<<1 | bit(l.with))
	}
	b = append(b, '|')
	for _, c := range slices.Sorted(maps.Keys(w.conds)) {
		b = append(append(b, c...), byte('0'+bit(w.conds[c])))
	}
	b = append(b, '|')
	for _, o := range objects(w.consts) {
		num(int(o.Pos()))
		b = append(append(b, w.consts[o].ExactString()...), ' ')
	}
	b = append(b, '|')
	for _, p := range slices.Sorted(maps.Keys(w.paths)) {
		b = append(b, p...)
		num(w.paths[p].key())
	}
	b = append(b, '|')
	for _, o := range objects(w.marks) {
		num(int(o.Pos()))
		b = append(strconv.AppendUint(b, w.marks[o], 36), ' ')
	}
	b = append(b, '|')
	for _, d := range w.defers {
		num(d.call)
		num(d.arg.key())
	}
	return string(b)
}

func objects[V any](m map[types.Object]V) []types.Object {
	return slices.SortedFunc(maps.Keys(m), func(a, b types.Object) int { return cmp.Compare(a.Pos(), b.Pos()) })
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
