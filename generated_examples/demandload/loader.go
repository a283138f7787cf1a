package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/poolgen/poolgen/cuda"
)

// Options are what a loader may take.
type Options struct {
	Device   cuda.Device
	Limit    int64 // bytes of the memory of textures
	Requests int   // pages that a frame can ask for; what is beyond is asked for again by the next
}

// Loader gives memory to the pages of textures that are seen, and takes it from those that were not seen for longest.
//
// It has two streams. What looks at textures goes in one of them, what changes them in the other, so that the pages that are there are
// drawn while others are loaded. A frame changes only pages that it does not see itself: what it misses, and what no frame has
// seen lately. So the streams need no order within a frame; between frames, the event tells the one and the host's wait for
// the list of pages the other.
//
// A Loader is for one goroutine. After an error it can only be closed.
type Loader struct {
	Options
	pools      pools
	kernels    kernels
	view, load cuda.Stream
	loaded     cuda.Event // in load: what the last frame has loaded is there
	table      table
	pages      []page // by entry of the table
	resident   residents
	frame      uint32
	drawn      []drawing
	changes    []change // that the device is to be told of
	undo       []func() error
}

// NewLoader makes one. Where the device has no sparse arrays the error matches poolrt.ErrUnsupported and says so.
func NewLoader(o Options) (*Loader, error) {
	if err := o.Device.Supports("texture_tile"); err != nil {
		return nil, err
	}
	l := &Loader{Options: o, pages: make([]page, tableLength)}
	for _, step := range []func() error{l.openPools, l.openKernels, l.openStreams, l.openTable} {
		if err := step(); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

func (l *Loader) openPools() (err error) {
	l.pools, err = openPools(l.Device, l.Limit)
	return l.later(l.pools.close, err)
}

func (l *Loader) openKernels() (err error) {
	l.kernels, err = loadKernels(l.Device)
	return l.later(l.kernels.module.Close, err)
}

func (l *Loader) openStreams() (err error) {
	for _, s := range []*cuda.Stream{&l.view, &l.load} {
		if *s, err = l.Device.NewStream(cuda.NonBlocking); l.later(s.Close, err) != nil {
			return err
		}
	}
	l.loaded, err = l.Device.NewEvent()
	return l.later(l.loaded.Close, err)
}

func (l *Loader) openTable() (err error) {
	l.table, err = newTable(l.pools.tables, l.view)
	return l.later(func() error { return l.table.free(l.pools.tables, l.view) }, err)
}

// later makes Close undo what was done, unless that failed.
func (l *Loader) later(undo func() error, err error) error {
	if err == nil {
		l.undo = append(l.undo, undo)
	}
	return err
}

// Report is what became of the pages that a frame saw.
type Report struct {
	Seen     int // pages
	Hits     int // that were there, and were drawn
	Loads    int // that were not, and will be there for the next frame
	Evicted  int // pages that were dropped for them
	Left     int // that found no room: all that is there was seen by this frame
	Overflow int // that the list of requests had no room for
	Bytes    int64
}

// Frame finds out which pages the views see, draws those that are there, and loads the others. It returns when that is queued, before it is
// done; the drawings of the frame before have been verified by then.
func (l *Loader) Frame(views ...View) (r Report, err error) {
	l.frame++
	found, err := l.look(views)
	if err != nil {
		return r, err
	}
	if err := l.verify(); err != nil { // look has waited for the stream that draws
		return r, err
	}
	r = Report{Hits: len(found.hits), Overflow: found.overflow}
	r.Seen = len(found.hits) + len(found.misses) + found.overflow
	hits, misses, err := l.note(found)
	if err != nil {
		return r, err
	}
	if err := l.draw(hits); err != nil {
		return r, err
	}
	err = l.fill(misses, &r)
	return r, err
}

// note finds the pages that the device has seen, in an order that does not depend on which of its threads came first.
func (l *Loader) note(found sight) (hits, misses []*page, err error) {
	pick := func(numbers []EntryID, there bool) (all []*page) {
		slices.Sort(numbers)
		for _, n := range numbers {
			p := &l.pages[n]
			p.seen = l.frame
			if there != (p.place != nil) {
				err = fmt.Errorf("%v: the table of the device is not what it was told", p)
				continue
			}
			all = append(all, p)
		}
		return all
	}
	hits, misses = pick(found.hits, true), pick(found.misses, false)
	for _, p := range hits {
		l.resident.touch(p)
	}
	return hits, misses, err
}

// Finish waits until all that was queued is done, and verifies what was drawn.
func (l *Loader) Finish() error {
	return errors.Join(l.view.Synchronize(), l.load.Synchronize(), l.verify())
}

// Close waits for the device, verifies what was drawn last, drops all pages and gives everything back, in the reverse of the order in which it
// was made.
func (l *Loader) Close() error {
	var errs []error
	if l.frame > 0 {
		errs = append(errs, l.Finish())
		for p := l.resident.oldest(); p != nil; p = l.resident.oldest() {
			errs = append(errs, l.drop(p))
		}
		errs = append(errs, l.load.Synchronize())
	}
	for _, undo := range slices.Backward(l.undo) {
		errs = append(errs, undo())
	}
	return errors.Join(errs...)
}
