package item

import (
	"errors"

	"github.com/poolgen/poolgen/runtime"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// What stands here is called in programs that are built with the tag pooldebug or pooltrace, and is left out of all others.

// observer is the engine, which only a debug build needs ready before a block is there.
func (p *Pool) observer() *runtime.Engine {
	if runtime.Debug {
		return p.ready()
	}
	return &p.engine
}

// watched takes a block from the chunks that are there or, failing that, with find, and begins to watch it.
func (p *Pool) watched(find func() (mem.Ref, error)) (r mem.Ref, err error) {
	e := p.observer()
	turn, err := e.BeginUse("alloc")
	if err != nil {
		return r, err
	}
	defer e.EndUse()
	r, ok := p.take()
	if !ok {
		e.BypassQuarantine()
		defer e.EndBypass()
		r, err = find()
	} else if clears {
		r, err = p.cleared(r)
	}
	if err == nil {
		e.ObserveAlloc(turn, mem.Place(r), mem.Pointer(r), mem.ItemSize, nil)
	}
	return r, err
}

// tryWatched is TryAlloc.
func (p *Pool) tryWatched() (mem.Ref, bool) {
	r, err := p.watched(func() (r mem.Ref, err error) {
		r, ok := p.take()
		if !ok {
			return r, runtime.ErrLimit
		}
		if clears {
			return p.cleared(r)
		}
		return r, nil
	})
	return r, err == nil
}

// watchedBatch is AllocBatch.
func (p *Pool) watchedBatch(dst []mem.Ref) (int, error) {
	e := p.observer()
	turn, err := e.BeginUse("alloc")
	if err != nil {
		clear(dst)
		return 0, err
	}
	defer e.EndUse()
	e.BypassQuarantine()
	defer e.EndBypass()
	n, err := p.growBatch(dst, 0)
	for _, r := range dst[:n] {
		e.ObserveAlloc(turn, mem.Place(r), mem.Pointer(r), mem.ItemSize, nil)
	}
	return n, err
}

// leaving sees to a free, which goes on unless done is set.
func (p *Pool) leaving(r mem.Ref) (done bool, err error) { return p.leavingIn(runtime.Call{}, r) }

// leavingIn does so for one of a batch.
func (p *Pool) leavingIn(turn runtime.Call, r mem.Ref) (done bool, err error) {
	return p.observer().ObserveFree(turn, mem.Place(r), mem.ItemSize, nil, func() error { return p.freeSlow(r) })
}

// freeEach is FreeBatch.
func (p *Pool) freeEach(refs []mem.Ref) error {
	e := p.observer()
	turn, err := e.BeginUse("free")
	if err != nil {
		return err
	}
	defer e.EndUse()
	var errs []error
	for _, r := range refs {
		done, err := p.leavingIn(turn, r)
		if !done {
			err = p.freeSlow(r)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
