//go:build !cudasim && cgo && linux

package ranks

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
	"github.com/poolgen/poolgen/tests/pools/internal/collective"
)

// memories are what a collective can use, in the order of the benchmark.
var memories = []string{"cuMemAlloc", "pool", "registered"}

// cell is what was measured of one collective over one memory: the least time of a call, through package nccl and from C.
type cell struct{ ours, fromC time.Duration }

// alone is the size in bytes up to which each call is timed with its wait. Larger ones follow each other, and one wait ends them: their bandwidth counts.
const alone = 64 << 10

// BenchmarkNCCL has two processes call collectives over memory of cuMemAlloc, of a pool, and of one that is attached. The columns are the bus bandwidth in GB/s, and the time of
// a call; beside them how long package nccl takes for it, as a part of what the same calls take from C in the same process, in turns.
func BenchmarkNCCL(b *testing.B) {
	twoGPUs(b)
	processes(b, func(w *worker) {
		for _, gather := range []bool{false, true} {
			for _, bytes := range []int{4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20} {
				w.row(gather, bytes)
			}
		}
	})
	b.ReportMetric(0, "ns/op") // the table says it
}

// row measures a collective of a size over each memory.
func (w *worker) row(gather bool, bytes int) {
	name, bus := "all-reduce", 1.0 // bytes over the bus for each of the size, with two ranks
	if gather {
		name, bus = "all-gather", 0.5
	}
	line := fmt.Sprintf("%s %9d:", name, bytes)
	for _, memory := range memories {
		c := w.measure(memory, gather, bytes)
		line += fmt.Sprintf("  %s %5.1f GB/s %8.1f us, of C %.3f;", memory, bus*float64(bytes)/float64(c.ours), float64(c.ours)/1000, float64(c.ours)/float64(c.fromC))
	}
	if w.Rank() == 0 {
		fmt.Fprintln(os.Stderr, line)
	}
}

// measure takes turns between package nccl and C.
func (w *worker) measure(memory string, gather bool, bytes int) (best cell) {
	src, dst, end := w.obtain(memory, bytes)
	defer end()
	items := bytes / 4
	if gather {
		items /= 2 // the size is that of the result
	}
	ctx, err := w.Device().PrimaryContext()
	w.ok("context", err)
	call := collective.Call{Library: nccl.LibraryPath(), Gather: gather, Src: uint64(src), Dst: uint64(dst), Items: items,
		Context: ctx, Comm: w.Handle(), Stream: w.s.Handle()}
	n, each := max(10, min(200, (256<<20)/bytes)), bytes <= alone
	for turn := range 11 {
		start := time.Now()
		for range n {
			if gather {
				w.ok("AllGather", w.AllGather(dst, src, items, nccl.Float32, w.s))
			} else {
				w.ok("AllReduce", w.AllReduce(dst, src, items, nccl.Float32, nccl.Sum, w.s))
			}
			if each {
				w.ok("synchronize", w.s.Synchronize())
			}
		}
		w.ok("synchronize", w.s.Synchronize())
		ours := time.Since(start) / time.Duration(n)
		all, ok := call.Loop(n, each)
		if !ok {
			w.ok("from C", fmt.Errorf("a call failed"))
		}
		if fromC := all / time.Duration(n); turn == 0 { // the first warms up
			best = cell{1 << 62, 1 << 62}
		} else {
			best = cell{min(best.ours, ours), min(best.fromC, fromC)}
		}
	}
	return best
}

// obtain returns memory for a collective.
func (w *worker) obtain(memory string, bytes int) (src, dst cuda.DevicePtr, end func()) {
	if memory == "cuMemAlloc" {
		d := w.Device()
		src, err := d.Alloc(int64(bytes))
		w.ok("alloc", err)
		dst, err := d.Alloc(int64(bytes))
		w.ok("alloc", err)
		return src, dst, func() { w.ok("free", d.Free(src)); w.ok("free", d.Free(dst)) }
	}
	if memory == "registered" {
		w.ok("attach", nccl.Attach(w.pool, w.Comm))
	}
	a, err := w.pool.Alloc(bytes / 4)
	w.ok("alloc", err)
	b, err := w.pool.Alloc(bytes / 4)
	w.ok("alloc", err)
	return a.Addr(), b.Addr(), func() {
		w.ok("free", w.pool.Free(a))
		w.ok("free", w.pool.Free(b))
		w.pool.Trim(0)
		w.ok("detach", nccl.Detach(w.pool, w.Comm))
	}
}
