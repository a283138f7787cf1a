package poolpage

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/poolgen/poolgen/runtime"
)

// The views are what the script reads: the JSON of package runtime, but with addresses as text, as numbers of scripts are exact up to 2^53 only.
type (
	snapshotView struct {
		*runtime.Snapshot
		Pools []poolView `json:"pools"`
	}
	poolView struct {
		*runtime.PoolSnapshot
		Chunks []chunkView `json:"chunks,omitempty"`
		Events []eventView `json:"events,omitempty"`
	}
	chunkView struct {
		runtime.ChunkSnapshot
		Addr   string `json:"addr"`
		Origin string `json:"origin,omitempty"`
	}
	eventView struct {
		runtime.FlightEvent
		Addr string `json:"addr,omitempty"`
	}
	figures struct {
		Time    time.Time          `json:"time"`
		Program string             `json:"program"`
		Pools   []runtime.PoolInfo `json:"pools"`
	}
)

// WriteSnapshot writes a snapshot as the page reads it.
func WriteSnapshot(w io.Writer, s *runtime.Snapshot) error {
	return json.NewEncoder(w).Encode(viewOf(s))
}

// WriteFigures writes what pools hold as the page reads it.
func WriteFigures(w io.Writer, at time.Time, program string, pools []runtime.PoolInfo) error {
	return json.NewEncoder(w).Encode(figures{at, program, pools})
}

func viewOf(s *runtime.Snapshot) snapshotView {
	v := snapshotView{Snapshot: s, Pools: []poolView{}}
	for i := range s.Pools {
		v.Pools = append(v.Pools, viewOfPool(&s.Pools[i]))
	}
	return v
}

func viewOfPool(p *runtime.PoolSnapshot) poolView {
	v := poolView{PoolSnapshot: p}
	for _, c := range p.Chunks {
		v.Chunks = append(v.Chunks, chunkView{c, address(c.Addr, p.Unit), note(c.Origin)})
	}
	for _, e := range p.Events {
		v.Events = append(v.Events, eventView{e, address(e.Addr, p.Unit)})
	}
	return v
}

// address writes a place in memory as people do, and a number as a number.
func address(addr uint64, unit string) string {
	if unit == "numbers" {
		return strconv.FormatUint(addr, 10)
	}
	return fmt.Sprintf("%#x", addr)
}

func note(origin uint64) string {
	if origin == 0 {
		return ""
	}
	return fmt.Sprintf("%#x", origin)
}
