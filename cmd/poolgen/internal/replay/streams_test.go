package replay

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/compile"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
)

const devicePools = `version: 1
package: p
pools:
  - {name: Stream, allocator: device}
  - {name: Deferred, allocator: device, ordering: deferred}
  - {name: Plain, allocator: device, ordering: sync}
  - {name: Item, allocator: device, suballocator: fixed, block_size: 512KiB}
  - {name: Virtual, allocator: device_virtual, trim: {when: growth}}
  - {name: Pinned, allocator: pinned, ordering: stream, concurrency: sharded}
`

// crossing is a trace of three streams. Each block is freed on the stream after the one on which it was allocated.
func crossing(blocks int) string {
	var b strings.Builder
	b.WriteString(TraceHeader + "\n")
	for i := range blocks {
		fmt.Fprintf(&b, "a,%d,%d,%d,%d\n", i, 100_000+i%3*100_000, i%3, i)
		if old := i - 20; old >= 0 {
			fmt.Fprintf(&b, "f,%d,,%d,%d\n", old, (old+1)%3, i)
		}
	}
	return b.String()
}

// Pools of device memory serve a trace of several streams on the simulated driver, on streams and without, on one goroutine and on several.
func TestStreams(t *testing.T) {
	large.Only(t) // runs the go command
	doc, found := spec.Load("poolgen.yaml", []byte(devicePools))
	if len(found) > 0 {
		t.Fatal(found)
	}
	plan, found := doc.Validate(spec.Env{Dir: "p"})
	if len(found) > 0 {
		t.Fatal(found)
	}
	plan = Unwaiting(plan)
	files, found := compile.Files(t.Context(), plan, "poolgen.yaml", "devel", nil, nil)
	if len(found) > 0 {
		t.Fatal(found)
	}
	changes, err := emit.Compare(t.Context(), emit.Dir{Base: t.TempDir(), Path: "."}, "poolgen.yaml", files, lower.IsFile)
	fatal.If(t, err)
	gocmd := gomod.Go{Environ: os.Environ()}.WithTag("cudasim")
	program, err := Build(context.Background(), gocmd, ".", t.TempDir(), changes, plan, plan.Pools)
	fatal.If(t, err)
	trace, err := readOne("t.csv", strings.NewReader(crossing(500)))
	fatal.If(t, err)
	t.Run("busy", func(t *testing.T) { busy(t, program, plan, trace) })
	for _, pool := range plan.Pools {
		for _, goroutines := range []int{1, 3, 5} {
			row, err := program.Run(context.Background(), pool.Name, trace, Options{Runs: 2, Goroutines: goroutines})
			if err != nil {
				t.Errorf("%s on %d goroutines: %v", pool.Name, goroutines, err)
				continue
			}
			if row.Allocs != 500 || row.Frees != 480 || row.Failures != 0 || row.Driver != "simulator" || row.Ratio < 1 {
				t.Errorf("%s on %d goroutines: %+v", pool.Name, goroutines, row)
			}
			if asked := row.DriverCalls > 5; pool.Name == "Stream" && !asked || pool.Name == "Plain" && asked {
				t.Errorf("%s on %d goroutines: %d calls of the driver", pool.Name, goroutines, row.DriverCalls)
			}
		}
	}
}

// Where streams are busy a pool holds what they have not passed beside what is live, in the same way in each run. Pools that are not ordered with streams take
// no notice.
func busy(t *testing.T, program *Program, plan *spec.Plan, trace *Trace) {
	for _, pool := range plan.Pools {
		var rows [2]Row
		for i, events := range []int{0, 100} {
			var err error
			if rows[i], err = program.Run(context.Background(), pool.Name, trace, Options{Runs: 2, Goroutines: 1, Busy: events}); err != nil {
				t.Fatalf("%s: %v", pool.Name, err)
			}
		}
		if rows[1].Allocs != 500 || rows[1].Frees != 480 || rows[1].Varied {
			t.Errorf("%s: %+v", pool.Name, rows[1])
		}
		if rows[0].InUse != 0 || rows[1].InUse != trace.inUse(100) || rows[1].InUse < rows[1].PeakLive {
			t.Errorf("%s: %d bytes in use, %d with busy streams and %d live", pool.Name, rows[0].InUse, rows[1].InUse, rows[1].PeakLive)
		}
		if more := rows[1].PeakReserved > rows[0].PeakReserved; pool.Name == "Plain" && more || pool.Name == "Deferred" && !more {
			t.Errorf("%s reserves %d bytes, %d with busy streams", pool.Name, rows[0].PeakReserved, rows[1].PeakReserved)
		}
	}
}
