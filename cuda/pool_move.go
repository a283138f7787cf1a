package cuda

import (
	"errors"
	"fmt"
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Memory that moves is mapped at its new place before the mapping at the old one ends, as a stream may still use that. Of all pieces with the same memory, one
// owns it, and the others are extra. An extra piece is unmapped when memory comes to its place, and before its memory is released.

// physical is memory with one handle.
type physical struct {
	handle abi.Memory
	extras []extra // where extra pieces of it are
}

// extra is the place of an extra piece.
type extra struct {
	in *reservation
	at extent
}

// move maps the memory of pages at other places, which lie in one range, or none of it. The pieces there then own the memory.
func (v *ranges) move(moves []poolimpl.PageMove) error {
	to, from := v.of(moves[0].To), make([]*reservation, len(moves))
	for i, m := range moves {
		from[i] = v.of(m.From)
	}
	v.mapping.Lock()
	defer v.mapping.Unlock()
	rows, err := v.mapExtras(from, to, moves)
	for _, e := range rows {
		if err == nil {
			err = to.allow(to.base+abi.Ptr(e.from), e.to-e.from, v.peers)
		}
	}
	if err != nil {
		for _, e := range rows {
			err = errors.Join(err, to.unmapIn(e)) // what stays mapped is extra
		}
		return err
	}
	for i, m := range moves {
		from[i].own(m.From, false)
		to.own(m.To, true)
	}
	return nil
}

// mapExtras maps the memory of pages at other places, and returns the rows of these, also after a failure.
func (v *ranges) mapExtras(from []*reservation, to *reservation, moves []poolimpl.PageMove) (rows []extent, err error) {
	for i, m := range moves {
		p, e := from[i].pieceAt(from[i].offsets(m.From, v.page)), to.offsets(m.To, v.page)
		if p == nil {
			return rows, fmt.Errorf("the page at %#x was not mapped as a whole", m.From)
		}
		memory := p.memory
		if err := to.mapExtra(memory, e); err != nil {
			return rows, err
		}
		if k := len(rows) - 1; k >= 0 && rows[k].to == e.from {
			rows[k].to = e.to
		} else {
			rows = append(rows, e)
		}
	}
	return rows, nil
}

// pieceAt returns the piece that is an extent, nil if there is none.
func (v *reservation) pieceAt(e extent) *piece {
	if i, mapped := v.find(e.from); mapped && v.pieces[i].extent == e {
		return &v.pieces[i]
	}
	return nil
}

// mapExtra maps memory to an extent as an extra piece. It first unmaps what remains there.
func (v *reservation) mapExtra(memory *physical, e extent) error {
	if err := v.unmapIn(e); err != nil {
		return err
	}
	if err := check(v.drv.MemMap(v.base+abi.Ptr(e.from), uint64(e.to-e.from), 0, memory.handle), "MemMap", v.dev, e.to-e.from); err != nil {
		return err
	}
	i, _ := v.find(e.from)
	v.pieces = slices.Insert(v.pieces, i, piece{extent: e, memory: memory, extra: true})
	memory.extras = append(memory.extras, extra{v, e})
	return nil
}

// own says whether the piece at an address owns its memory from now on.
func (v *reservation) own(addr uint64, owns bool) {
	i, _ := v.find(v.offsets(addr, 0).from)
	p := &v.pieces[i]
	p.extra = !owns
	if owns {
		p.memory.forget(extra{v, p.extent})
	} else {
		p.memory.extras = append(p.memory.extras, extra{v, p.extent})
	}
}

// forget notes that an extra piece is gone, or owns the memory.
func (m *physical) forget(x extra) {
	m.extras = slices.DeleteFunc(m.extras, func(y extra) bool { return x == y })
}

// unmapExtras unmaps the extra pieces of the memory that the pieces in an extent own, adjacent ones by one call.
func (v *reservation) unmapExtras(e extent) error {
	var rows []extra
	for i, _ := v.find(e.from); i < len(v.pieces) && v.pieces[i].from < e.to; i++ {
		if v.pieces[i].extra {
			continue
		}
		for _, x := range v.pieces[i].memory.extras {
			if k := len(rows) - 1; k >= 0 && rows[k].in == x.in && rows[k].at.to == x.at.from {
				rows[k].at.to = x.at.to
			} else {
				rows = append(rows, x)
			}
		}
	}
	for _, x := range rows {
		if err := x.in.unmapIn(x.at); err != nil {
			return err
		}
	}
	return nil
}
