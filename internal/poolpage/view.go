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

// The views are the data for the script: the JSON of package runtime, but with addresses as text, because numbers of scripts are exact only up to
// 2^53, and with the results of package difference, which is the only implementation of its rule.
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
		Unmatched []int  `json:"unmatched,omitempty"` // numbers of pieces that are blocks and that the other snapshot does not have
	}
	eventView struct {
		poolrt.FlightEvent
		Addr string `json:"addr,omitempty"`
	}
	figures struct {
		Time    time.Time         `json:"time"`
		Program string            `json:"program"`
		Pools   []poolrt.PoolInfo `json:"pools"`
		Limits  Limits            `json:"limits"`
	}
)

// Limits are what holds for pools of several processes, and for the whole program.
type Limits struct {
	Memory  *poolrt.GovernInfo `json:"memory,omitempty"` // nil without poolrt.GovernMemory
	Budgets []HostBudget       `json:"budgets,omitempty"`
}

// HostBudget is a budget that several processes share.
type HostBudget struct {
	Name      string                 `json:"name"`
	Limit     int64                  `json:"limit"`
	Processes []poolrt.BudgetProcess `json:"processes,omitempty"`
	Failure   string                 `json:"failure,omitempty"` // why they cannot be listed
}

// WriteSnapshot writes a snapshot in the form that the page reads.
func WriteSnapshot(w io.Writer, s *poolrt.Snapshot) error {
	return json.NewEncoder(w).Encode(viewOf(s))
}

// WriteFigures writes the figures of pools in the form that the page reads.
func WriteFigures(w io.Writer, at time.Time, program string, pools []poolrt.PoolInfo, limits Limits) error {
	return json.NewEncoder(w).Encode(figures{at, program, pools, limits})
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

// match notes the blocks of each of two snapshots that the other does not have.
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

// address writes an address in hexadecimal, and a number in decimal, as package memorymap does.
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
