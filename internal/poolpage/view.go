package poolpage

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/poolgen/poolgen/internal/difference"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// The views are what the script reads: the JSON of package runtime, but with addresses as text, as numbers of scripts are exact up to 2^53 only, and with what
// package difference tells of blocks, so that its rule is there once.
type (
	snapshotView struct {
		*poolrt.Snapshot
		Pools []poolView `json:"pools"`
	}
	poolView struct {
		*poolrt.PoolSnapshot
		Chunks []chunkView `json:"chunks,omitempty"`
		Events []eventView `json:"events,omitempty"`
	}
	chunkView struct {
		poolrt.ChunkSnapshot
		Addr      string `json:"addr"`
		Origin    string `json:"origin,omitempty"`
		Unmatched []int  `json:"unmatched,omitempty"` // pieces that are blocks which the other snapshot does not have
	}
	eventView struct {
		poolrt.FlightEvent
		Addr string `json:"addr,omitempty"`
	}
	figures struct {
		Time    time.Time         `json:"time"`
		Program string            `json:"program"`
		Pools   []poolrt.PoolInfo `json:"pools"`
	}
)

// WriteSnapshot writes a snapshot as the page reads it.
func WriteSnapshot(w io.Writer, s *poolrt.Snapshot) error {
	return json.NewEncoder(w).Encode(viewOf(s))
}

// WriteFigures writes what pools hold as the page reads it.
func WriteFigures(w io.Writer, at time.Time, program string, pools []poolrt.PoolInfo) error {
	return json.NewEncoder(w).Encode(figures{at, program, pools})
}

func viewOf(s *poolrt.Snapshot) snapshotView {
	v := snapshotView{Snapshot: s, Pools: []poolView{}}
	for i := range s.Pools {
		v.Pools = append(v.Pools, viewOfPool(&s.Pools[i]))
	}
	return v
}

func viewOfPool(p *poolrt.PoolSnapshot) poolView {
	v := poolView{PoolSnapshot: p}
	for _, c := range p.Chunks {
		v.Chunks = append(v.Chunks, chunkView{ChunkSnapshot: c, Addr: address(c.Addr, p.Unit), Origin: origin(c.Origin)})
	}
	for _, e := range p.Events {
		v.Events = append(v.Events, eventView{e, address(e.Addr, p.Unit)})
	}
	return v
}

// match notes which blocks of two snapshots the other one does not have.
func match(before, after *poolrt.Snapshot, views []snapshotView) {
	at := map[*poolrt.PoolSnapshot]*poolView{}
	for i := range views {
		for k := range views[i].Pools {
			v := &views[i].Pools[k]
			at[v.PoolSnapshot] = v
		}
	}
	for _, pair := range difference.Pairs(before, after) {
		if pair.Known() {
			pair.Before.Without(pair.After, at[pair.Before.Pool].unmatched)
			pair.After.Without(pair.Before, at[pair.After.Pool].unmatched)
		}
	}
}

func (v *poolView) unmatched(chunk, piece int) {
	c := &v.Chunks[chunk]
	c.Unmatched = append(c.Unmatched, piece)
}

// address writes a place in memory as people do, and a number as a number, as package memorymap does.
func address(addr uint64, unit string) string {
	if unit != "bytes" {
		return strconv.FormatUint(addr, 10)
	}
	return fmt.Sprintf("%#x", addr)
}

// origin writes the allocator's note, if there is one.
func origin(note uint64) string {
	if note == 0 {
		return ""
	}
	return fmt.Sprintf("%#x", note)
}
