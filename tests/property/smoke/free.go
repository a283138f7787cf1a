package smoke

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/spec"
)

// freeSome frees about half of the blocks, in any order, some of them twice.
func (tr *trial) freeSome() {
	tr.t.Helper()
	tr.fresh = false
	tr.random.Shuffle(len(tr.live), func(i, j int) { tr.live[i], tr.live[j] = tr.live[j], tr.live[i] })
	for range (len(tr.live) + 1) / 2 {
		b := tr.live[len(tr.live)-1]
		tr.intact(b)
		tr.live = tr.live[:len(tr.live)-1]
		tr.must("Free", b.value)
		if tr.random.IntN(4) == 0 {
			tr.refused(poolrt.ErrInvalidFree, "Free", b.value)
		}
	}
	tr.check("half freed")
}

// drop frees the last block.
func (tr *trial) drop() {
	tr.t.Helper()
	b := tr.live[len(tr.live)-1]
	tr.intact(b)
	tr.live = tr.live[:len(tr.live)-1]
	tr.must("Free", b.value)
}

// reset resets the pool, and fills it again.
func (tr *trial) reset() {
	tr.t.Helper()
	tr.must("Reset")
	tr.live, tr.fresh = nil, false
	tr.check("reset")
	tr.fill()
}

// marks releases the blocks after a mark.
func (tr *trial) marks() {
	tr.t.Helper()
	mark := tr.must("Mark")[0]
	kept := len(tr.live)
	for range 20 {
		tr.alloc(1 + tr.random.IntN(int(min(3, tr.largest()))))
	}
	tr.must("Release", mark)
	tr.live = tr.live[:kept]
	tr.check("released")
}

// empty frees all blocks and trims the pool.
func (tr *trial) empty() {
	tr.t.Helper()
	if tr.frees() {
		for len(tr.live) > 0 {
			tr.drop()
		}
	} else {
		tr.must("Reset")
		tr.live = nil
	}
	tr.check("empty")
	if tr.frees() && tr.Order != spec.AnyOrder {
		tr.must("Reset")
	}
	tr.must("Poll")
	tr.must("Trim", int64(0))
	if s := tr.stats(); !tr.Numbers && s.Reserved != 0 {
		tr.errorf("empty and trimmed, but %+v", s)
	}
	tr.check("trimmed")
}

// end closes the pool.
func (tr *trial) end() {
	tr.t.Helper()
	tr.must("Close")
	tr.must("Close")
	var args []any
	if !tr.item() {
		args = append(args, 1)
	}
	tr.refused(poolrt.ErrClosed, "Alloc", args...)
	tr.must("CloseForce")
}
