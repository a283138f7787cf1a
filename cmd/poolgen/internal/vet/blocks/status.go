package blocks

import (
	"go/ast"

	"github.com/poolgen/poolgen/spec"
)

// touch is a use of a block's memory.
func (f *function) touch(w *world, v value, at ast.Node) {
	if v.site == 0 || v.cut == number || f.isBatch(v) {
		return
	}
	s := w.state(v.site)
	if s.status != freed || s.told {
		return
	}
	code, what := spec.CodeUseAfterFree, "used after it was freed"
	if s.reset {
		code, what = spec.CodeUseAfterReset, "used after its pool was reset or released"
	}
	f.report(Finding{Code: code, Pos: at.Pos(), End: at.End(), Related: related(s.at, "here it was given back"),
		Message: f.describe(v.site) + " is " + what})
	s.told = true
}

// escape marks a block as handed on.
func (f *function) escape(w *world, v value) {
	if v.site > 0 {
		f.giveUp(w, v.site)
		if v.cut == element {
			f.singles[v.site] = true
		}
	}
}

// giveUp stops following a block. Blocks that are not freed one by one stay known: no other code can free them alone.
func (f *function) giveUp(w *world, site int) {
	if p := f.sites[site-1].pool; p != nil && !p.Frees() && f.sites[site-1].call != nil {
		return
	}
	if s := w.state(site); s.status == live || s.status == freed {
		s.status = gone
	}
}

// keep marks a block as stored: other code is responsible for the block, and this function may still free it.
func (f *function) keep(w *world, v value) {
	if v.site == 0 || w.state(v.site).status != live || v.cut == number || f.sites[v.site-1].batch {
		f.escape(w, v)
		return
	}
	if p := f.sites[v.site-1].pool; p == nil || p.Frees() || f.sites[v.site-1].call == nil {
		w.state(v.site).status = kept
	}
}

// synced notes that other goroutines may have ended, or changed any field or element.
func (f *function) synced(w *world) {
	clear(w.paths)
	w.moved = true
	for i := range w.sites {
		w.sites[i].worker = 0
	}
}

// describe names a block in messages.
func (f *function) describe(site int) string {
	s := f.sites[site-1]
	switch {
	case s.pool == nil:
		return "the block"
	case s.batch:
		return "the batch of " + s.pool.String()
	case s.owner:
		return "the owner of a block of " + s.pool.String()
	}
	return "the block of " + s.pool.String()
}
