package main

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// fill loads pages as far as there is room, and tells the device. It waits for the device only where the ring of page-locked memory is full.
func (l *Loader) fill(misses []*page, r *Report) error {
	for _, p := range misses {
		switch err := l.makeRoom(p, r); {
		case full(err):
			r.Left++ // a smaller page may find room yet
		case err != nil:
			return err
		default:
			if err := l.upload(p); err != nil {
				return err
			}
			r.Loads++
			r.Bytes += int64(p.bytes())
		}
	}
	err := l.mark(l.changes)
	l.changes = l.changes[:0]
	// Puts a fence behind what this frame has freed. The next frame finds that the stream has passed it, and the ring does not grow.
	l.pools.stages.Poll()
	return errors.Join(err, l.loaded.Record(l.load))
}

// full tells whether there is no memory for another page: by the limit, or because the device has no more.
func full(err error) bool {
	return errors.Is(err, poolrt.ErrLimit) || errors.Is(err, poolrt.ErrOutOfMemory)
}

// makeRoom gives a page tiles. It drops the pages that were not seen for longest until there are enough tiles in one row, but none that
// this frame has seen: they are being drawn.
func (l *Loader) makeRoom(p *page, r *Report) (err error) {
	for {
		// On the stream that has unbound and freed the tiles of other pages, they can be had again before it has even begun to.
		p.tiles, err = l.pools.pages.AllocOn(p.texture.channels, l.load)
		if !full(err) {
			return err
		}
		old := l.resident.oldest()
		if old == nil || old.seen == l.frame {
			return err
		}
		if err := l.drop(old); err != nil {
			return err
		}
		r.Evicted++
	}
}

// upload binds a page to its tiles and fills it with its texels.
func (l *Loader) upload(p *page) error {
	l.resident.add(p)
	texels, err := l.pools.stages.Alloc(p.bytes())
	if err != nil {
		return err
	}
	p.texture.image(texels, p.x, p.y)
	l.changes = append(l.changes, newChange(p.number, true))
	return errors.Join(
		p.texture.array.Bind(l.load, p.binding(p.tiles)),
		p.texture.array.WriteAsync(p.x, p.y, pageSide, pageSide, texels, l.load),
		l.pools.stages.FreeAsync(texels, l.load)) // as soon as the device has read it
}

// drop takes the memory from a page that no stream uses any more: all that drew it lies before what the host has waited for. It is unbound in the
// order of the stream, and freed behind that: whoever gets the tiles next, in this stream or after it, finds them bound to
// nothing.
func (l *Loader) drop(p *page) error {
	err := errors.Join(
		p.texture.array.Bind(l.load, p.binding(PageTiles{})),
		l.pools.pages.FreeOn(p.tiles, l.load))
	p.tiles = PageTiles{}
	l.resident.remove(p)
	l.changes = append(l.changes, newChange(p.number, false))
	return err
}
