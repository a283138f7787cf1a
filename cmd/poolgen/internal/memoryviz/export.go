// Package memoryviz writes snapshots in the format of PyTorch, for its viewer, pytorch.org/memory_viz, and its script torch/cuda/_memory_viz.py.
//
// A segment of PyTorch is a chunk, or a part of a chunk that has memory; its blocks are the pieces of the chunk; its private pools are the pools.
package memoryviz

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/pickle"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Write writes a snapshot as a pickle. Before that it calls left with what the viewer cannot show.
func Write(w io.Writer, s *poolrt.Snapshot, left func(what string)) error {
	x := newExport(s, left)
	return pickle.Write(w, pickle.NewDict("segments", x.segments(), "device_traces", x.traces(), "allocator_settings", x.settings()))
}

// export is the state of writing a snapshot.
type export struct {
	*poolrt.Snapshot
	devices   []int // device of each pool in the viewer; -1: the pool is left out
	places    []place
	histories [][]entry // of each pool
	stacks    map[stackKey]*pickle.List
	sites     map[uint32][]any // their calls
	left      func(what string)
}

// place is a range of addresses that has memory.
type place struct {
	pool       int
	device     int
	addr, size uint64
	pieces     []poolrt.Piece
	part       bool // of a chunk that has holes
}

func newExport(s *poolrt.Snapshot, left func(what string)) *export {
	x := &export{Snapshot: s, left: left, stacks: map[stackKey]*pickle.List{}, sites: map[uint32][]any{}}
	host := 0
	for _, p := range s.Pools {
		if p.Device <= mostDevice {
			host = max(host, p.Device+1)
		}
	}
	for i := range s.Pools {
		device := x.device(&s.Pools[i], host)
		x.devices = append(x.devices, device)
		for _, c := range s.Pools[i].Chunks {
			if device >= 0 {
				x.places = append(x.places, placesOf(c, i, device)...)
			}
		}
	}
	x.part()
	for i, device := range x.devices {
		var h []entry
		if device >= 0 {
			h = x.history(i)
		}
		x.histories = append(x.histories, h)
	}
	return x
}

// device returns the device of a pool; for memory of the host, the number after the last device; -1 if the pool is left out.
func (x *export) device(p *poolrt.PoolSnapshot, host int) int {
	switch {
	case p.Unit != "bytes":
		x.leave("pool %q: it hands out numbers, not memory", p.Name)
		return -1
	case !p.Walked:
		x.leave("pool %q: it was not looked at, as only its owner may (concurrency none)", p.Name)
		return -1
	case p.Device > mostDevice:
		x.leave("pool %q: of device %d", p.Name, p.Device)
		return -1
	case p.Device < 0:
		return min(host, mostDevice)
	}
	return p.Device
}

// mostDevice is the last device that is shown: there is a list for each up to that.
const mostDevice = 1 << 10

func (x *export) leave(text string, args ...any) {
	x.left(fmt.Sprintf(text, args...))
}

// placesOf cuts a chunk at its holes.
func placesOf(c poolrt.ChunkSnapshot, pool, device int) (list []place) {
	from := 0
	for i := 0; i <= len(c.Pieces); i++ {
		if i < len(c.Pieces) && c.Pieces[i].State != poolrt.PieceHole {
			continue
		}
		if from < i {
			first, last := c.Pieces[from], c.Pieces[i-1]
			list = append(list, place{pool, device, c.Addr + first.Off, last.Off + last.Size - first.Off, c.Pieces[from:i], i-from < len(c.Pieces)})
		}
		from = i + 1
	}
	return list
}

// part sorts the places, and leaves out overlaps, on which the viewer fails: memory that moved from one pool to another while the snapshot was taken.
func (x *export) part() {
	slices.SortStableFunc(x.places, func(a, b place) int { return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.addr, b.addr)) })
	kept := x.places[:0]
	for _, p := range x.places {
		if n := len(kept); n > 0 && kept[n-1].device == p.device && p.addr-kept[n-1].addr < kept[n-1].size {
			x.leave("pool %q: the memory at %#x, which another pool had as well while the snapshot was taken", x.Pools[p.pool].Name, p.addr)
			continue
		}
		kept = append(kept, p)
	}
	x.places = kept
}
