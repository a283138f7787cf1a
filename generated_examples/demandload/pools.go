package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// pools are all the memory of a loader. The pool file says what each is for.
type pools struct {
	samplers  *SamplerPool
	tables    *TablePool
	pages     *PagePool
	stages    *StagePool
	transfers *TransferPool
	entries   *EntryPool
}

// openPools makes them, with a limit for the memory of textures. They are the loader's own: another one may be at work on another device.
// A pool has nothing before it is used, so those that could be made need no closing if one could not.
func openPools(d cuda.Device, limit int64) (p pools, err error) {
	on := poolrt.OnDevice(int(d))
	var errs [6]error
	p.samplers, errs[0] = NewSamplerPool(on)
	p.tables, errs[1] = NewTablePool(on)
	p.pages, errs[2] = NewPagePool(on, poolrt.WithLimit(limit))
	p.stages, errs[3] = NewStagePool(on)
	p.transfers, errs[4] = NewTransferPool(on)
	p.entries, errs[5] = NewEntryPool()
	if err := errors.Join(errs[:]...); err != nil {
		return p, err
	}
	return p, p.entries.Track(0, tableLength)
}

// close gives all memory back. A pool waits for the streams that have not passed its frees, and refuses while a block is live: what
// was forgotten is found here.
func (p pools) close() error {
	return errors.Join(p.samplers.Close(), p.tables.Close(), p.pages.Close(), p.stages.Close(), p.transfers.Close(), p.entries.Close())
}

// tell prints what the pools hold.
func (p pools) tell(w io.Writer) {
	fmt.Fprintf(w, "%-10s %8s %8s %10s %10s %7s %7s\n", "pool", "allocs", "live", "peak B", "held KiB", "chunks", "pending")
	for _, s := range []struct {
		name string
		poolrt.Stats
	}{
		{"samplers", p.samplers.Stats()},
		{"tables", p.tables.Stats()},
		{"pages", p.pages.Stats()},
		{"stages", p.stages.Stats()},
		{"transfers", p.transfers.Stats()},
	} {
		fmt.Fprintf(w, "%-10s %8d %8d %10d %10d %7d %7d\n", s.name, s.Allocs, s.Live, s.PeakBytes, s.Reserved>>10, s.Chunks, s.Pending)
	}
	s := p.entries.Stats() // numbers: not bytes
	fmt.Fprintf(w, "%-10s %8d %8d %10s %10s  %d of %d entries in use\n", "entries", s.Allocs, s.Live, "", "", s.LiveBytes, s.Reserved)
}
