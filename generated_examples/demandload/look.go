package main

import (
	"encoding/binary"
	"errors"

	"github.com/poolgen/poolgen/cuda"
)

// View is what a frame sees of a texture: so many pixels, the first of which shows the texel x, y, and each next one the texel that many
// steps on. Beyond its edges a texture repeats.
type View struct {
	Texture       *Texture
	X, Y          uint32 // texels
	Width, Height uint32 // pixels
	Step          uint32 // texels
}

// sight is what the device has found out: the numbers of pages, in an order of its own.
type sight struct {
	misses, hits []EntryID
	overflow     int // misses that there was no room for
}

// rooms are how many misses and hits the device can list. No more pages can be hit than there is memory for.
func (l *Loader) rooms() [2]uint32 {
	return [2]uint32{uint32(l.Requests), uint32(l.Limit / cuda.TileBytes)}
}

// look asks the device which pages the views see, and waits for the answer: the number of misses, that of hits, the misses, the hits.
func (l *Loader) look(views []View) (found sight, err error) {
	if err := l.view.Wait(l.loaded); err != nil { // then the table says what the frame before has loaded
		return found, err
	}
	rooms := l.rooms()
	// The stream is the first to use both blocks, so it may have what it freed itself in the frame before, without a wait or a call of
	// the driver.
	list, err := l.pools.transfers.AllocOn(2+int(rooms[0]+rooms[1]), l.view)
	if err != nil {
		return found, err
	}
	down, err := l.pools.stages.AllocOn(4*list.Len(), l.view)
	if err != nil {
		return found, errors.Join(err, l.pools.transfers.FreeOn(list, l.view))
	}
	err = errors.Join(l.ask(views, list, down), l.pools.transfers.FreeOn(list, l.view)) // behind the copy, which has not even begun
	if err = errors.Join(err, l.view.Synchronize()); err == nil {
		found = read(down, rooms)
	}
	return found, errors.Join(err, l.pools.stages.Free(down)) // the stream is done: a plain free
}

// ask queues the kernels, and the copy of what they find.
func (l *Loader) ask(views []View, list TransferSpan, down []byte) error {
	if err := list.Slice(0, 2).Zero(l.view); err != nil { // the numbers
		return err
	}
	for _, v := range views {
		if err := l.kernels.lookAt(v, l.table, list, l.rooms(), l.frame, l.view); err != nil {
			return err
		}
	}
	return cuda.CopyToHostAsync(down, list.Addr(), l.view)
}

// read takes the answer apart.
func read(list []byte, rooms [2]uint32) sight {
	number := func(i uint32) uint32 { return binary.NativeEndian.Uint32(list[4*i:]) }
	row := func(start, n uint32) (pages []EntryID) {
		for i := range n {
			pages = append(pages, EntryID(number(start+i)))
		}
		return pages
	}
	listed := min(number(0), rooms[0])
	return sight{
		misses:   row(2, listed),
		hits:     row(2+rooms[0], min(number(1), rooms[1])),
		overflow: int(number(0) - listed),
	}
}
