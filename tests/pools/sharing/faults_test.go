//go:build cudasim

package sharing

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// run is a run of the program.
type run struct{ *rig.Run }

// program has importers open what a pool shares, write to it and close it.
func (r *run) program(s subject, importers int) {
	here := poolOf(s.fresh())
	var there []pool
	shared := map[any]cuda.Shared{}
	for i := range importers {
		r.share(here, shared, []int{1, 1000, 2500}[:3-i])
		var f *os.File
		r.Try("export", func() (err error) { f, err = here.export(); return err })
		r.Try("import", func() error {
			p, err := s.open(f)
			if err == nil {
				there = append(there, poolOf(p))
			}
			return err
		})
		_ = f.Close()
		r.share(here, shared, []int{500})
		for _, p := range there {
			r.use(p, shared)
		}
	}
	for _, p := range there {
		if s := p.stats(); p.has("Free") && s.Live != 0 {
			r.Errorf("the importer has %+v", s)
		}
		r.close(p)
	}
	r.close(here)
}

// close closes a pool, after which the pool owes nothing.
func (r *run) close(p pool) {
	r.Try("close", func() error { return p.do("CloseForce") })
	if s := p.stats(); s.Unreturned != 0 || s.Reserved != 0 {
		r.Errorf("after close: %+v", s)
	}
}

// share shares more blocks.
func (r *run) share(p pool, shared map[any]cuda.Shared, lengths []int) {
	for _, n := range lengths {
		var b any
		r.Try("alloc", func() (err error) { b, err = p.alloc(n); return err })
		r.Try("share", func() (err error) { shared[b], err = p.share(b); return err })
		_ = fill(b, byte(n)|1)
	}
}

// use opens all shared blocks, and frees them again.
func (r *run) use(p pool, shared map[any]cuda.Shared) {
	var on cuda.Stream
	r.Try("stream", func() (err error) { on, err = cuda.Device(0).NewStream(cuda.NonBlocking); return err })
	defer r.Try("stream close", on.Close)
	theirs := map[any]any{}
	for b, s := range shared {
		r.Try("open", func() (err error) { theirs[b], err = p.call("Open", s); return err })
	}
	for b, o := range theirs {
		at, n := place(b)
		var want, got [1]byte
		if cuda.CopyToHost(want[:], at) == nil && cuda.CopyToHost(got[:], first(place(o)).Add(n-1)) == nil && got != want {
			r.Errorf("the block holds %d, the opened block %d", want, got)
		}
		switch at, n := place(o); {
		case p.has("FreeAsync"):
			for range 20 { // the stream then lags behind
				_ = cuda.MemsetAsync(at, want[0], n, on)
			}
			r.Try("free on a stream", func() error { return p.do("FreeAsync", o, on) })
		case p.has("Free"):
			if err := p.do("Free", o); err != nil {
				r.Errorf("free: %v", err)
			}
		}
	}
	if p.has("Reset") {
		r.Try("reset", func() error { return p.do("Reset") })
	}
}

func first[A, B any](a A, _ B) A { return a }

// functions are the functions of the driver that the program calls.
var functions = []string{
	"cuDeviceCanAccessPeer", "cuDeviceGetAttribute", "cuDeviceGetCount", "cuDeviceGetUuid", "cuEventCreate", "cuEventDestroy", "cuEventQuery", "cuEventRecord",
	"cuMemAddressFree", "cuMemAddressReserve", "cuMemAllocFromPoolAsync", "cuMemCreate", "cuMemExportToShareableHandle", "cuMemFree", "cuMemFreeAsync",
	"cuMemGetAllocationGranularity", "cuMemImportFromShareableHandle", "cuMemMap", "cuMemPoolCreate", "cuMemPoolDestroy", "cuMemPoolExportPointer",
	"cuMemPoolExportToShareableHandle", "cuMemPoolImportFromShareableHandle", "cuMemPoolImportPointer", "cuMemPoolSetAccess", "cuMemPoolSetAttribute",
	"cuMemRelease", "cuMemSetAccess", "cuMemUnmap", "cuStreamCreateWithPriority", "cuStreamDestroy", "cuStreamSynchronize",
}

// silent are the functions whose failure need not be reported, as they are called again and reported if they fail in Close too. A failure of
// cuDeviceGetCount is reported as one of cuInit.
var silent = map[string]bool{
	"cuDeviceGetCount": true, "cuEventCreate": true, "cuEventQuery": true, "cuEventRecord": true,
	"cuMemRelease": true, "cuMemFree": true, "cuMemFreeAsync": true, "cuStreamSynchronize": true,
}

// retried are those of allocations, which the ladder of a pool tries again, as it does what comes first, to reserve what the pool starts
// with; and those of memory that has come for a block other than the one that is opened.
var retried = map[string]bool{"cuMemAllocFromPoolAsync": true, "cuMemCreate": true, "cuMemImportFromShareableHandle": true, "cuMemMap": true, "cuMemSetAccess": true, "cuStreamCreateWithPriority": true}

// play runs the program with a fault, and reports whether the call of the fault was made.
func play(t *testing.T, s subject, f rig.Fault) (came bool) {
	open := descriptors(t)
	excused := func(told string) bool { return silent[f.Function] || told == "" && retried[f.Function] }
	came = f.Play(t, sim.Config{Devices: 2, Schedule: 1}, excused, func(r *rig.Run) { (&run{r}).program(s, 2) })
	if n := descriptors(t); n != open {
		t.Errorf("%d files are open, %d were before", n, open)
	}
	return came
}

// codes are the codes that a function fails with.
func codes(function string) []int {
	const invalidValue, outOfMemory, unknown = 1, 2, 999
	switch {
	case strings.Contains(function, "port"):
		return []int{invalidValue, outOfMemory, unknown}
	case strings.Contains(function, "Alloc"), function == "cuMemCreate", function == "cuMemMap":
		return []int{outOfMemory, unknown}
	}
	return []int{unknown}
}

// If a call of the driver fails, no memory is lost: the error names the call, the second attempt succeeds, and after Close no memory is left.
func TestFaults(t *testing.T) {
	struck := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		if testing.Short() && name != "Row" && name != "VirtualRow" {
			continue
		}
		rig.EachDriverCall(t, name, functions, codes, func(t *testing.T, f rig.Fault) bool { return play(t, subjects[name], f) }, struck)
	}
	for _, f := range functions {
		if struck[f] == 0 && !testing.Short() {
			t.Errorf("%s was never called", f)
		}
		t.Logf("%5d calls of %s failed", struck[f], f)
	}
}

// If two calls of the driver fail, nothing is lost either, on both sides.
func TestPairs(t *testing.T) {
	pairs := 0
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		switch {
		case name == "Spill" || name == "Stand": // two failures leave them memory that cannot be shared
			continue
		case testing.Short() && name != "Row" && name != "VirtualRow":
			continue
		}
		pairs += rig.EachPair(t, name, 1000, func(t *testing.T, p rig.Pair) bool {
			open := descriptors(t)
			came := p.Play(t, sim.Config{Devices: 2, Schedule: 1}, func(r *rig.Run) { (&run{r}).program(subjects[name], 1) })
			if n := descriptors(t); n != open {
				t.Errorf("%d files are open, %d were before", n, open)
			}
			return came
		})
	}
	t.Logf("%d pairs of calls failed", pairs)
}
