package gates

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// program is a small program with one pool, and the same without it.
type program struct {
	pool, use, imports string
	most               int64 // bytes that the pool adds to the stripped program, as this package has measured them last
}

const fixedPool = "{name: Vertex, item: Vertex, limit: 64MiB}"

// programs are what poolgen promises a size of. Whoever needs more changes the figure in a commit of its own.
var programs = map[string]program{
	"fixed":  {fixedPool, "AllocVertex()", "", 860_000},
	"heap":   {"{name: Page, suballocator: heap, concurrency: sharded, limit: 64MiB}", "AllocPage(100)", "", 1_082_000},
	"device": {"{name: Page, allocator: device, suballocator: binned, concurrency: sharded, limit: 64MiB}", "AllocPage(100)", `_ "net/http"`, 1_376_000},
}

// source is the text of the program with a pool, or without.
func (p program) source(module string, pools bool) string {
	text := "package main\n\nimport (\n\t\"fmt\"\n\t" + p.imports + "\n\tPOOLS\n)\n\nfunc main() { fmt.Println(USE) }\n"
	if !pools {
		return strings.NewReplacer("\tPOOLS\n", "", "USE", `"hello"`).Replace(text)
	}
	return strings.NewReplacer("POOLS", `"`+module+`/pools"`, "USE", "pools."+p.use).Replace(text)
}

// files are those of a module with the program.
func (p program) files(module string) map[string]string {
	return map[string]string{
		"pools/poolgen.yaml": "version: 1\npools:\n  - " + p.pool + "\n",
		"pools/vertex.go":    "package pools\n\n// Vertex is an item.\ntype Vertex struct{ X, Y, Z float32 }\n",
		"with/main.go":       p.source(module, true),
		"without/main.go":    p.source(module, false),
	}
}

// linked builds a program of a module for linux/amd64.
func linked(t *testing.T, dir, name string, flags ...string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "program")
	target := tempmod.Command{Dir: dir, Temporary: true, Env: []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}}
	if _, out, err := target.Go(slices.Concat([]string{"build", "-trimpath", "-o", file}, flags, []string{"./" + name})...); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return file
}

// size returns the length of a file.
func size(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	fatal.If(t, err)
	return info.Size()
}

// misfit reports whether a size is not what the table says, within a fiftieth.
func misfit(bytes, want int64) bool { return bytes > want+want/50 || bytes < want-want/50 }

// TestSizesOfPrograms holds what one pool adds to a program.
func TestSizesOfPrograms(t *testing.T) {
	large.Only(t)
	for name, p := range programs {
		module := "example.com/" + name
		dir := tempmod.Generated(t, module, p.files(module))
		added := size(t, linked(t, dir, "with", "-ldflags=-s -w")) - size(t, linked(t, dir, "without", "-ldflags=-s -w"))
		if misfit(added, p.most) {
			t.Errorf("%s: a pool adds %d bytes, and the table says %d. If that is meant, change the table", name, added, p.most)
		}
		if !misfit(added, 2*added) || !misfit(added, added/2) {
			t.Errorf("%s: a planted size is not seen", name)
		}
	}
}

// features are what a pool may have, with functions of each that a program links only if one of its pools, or the program itself, names it.
var features = map[string]string{
	"budgets of the host": `runtime/internal/ledger\.\(\*Ledger\)\.Take`,
	"budgets":             `runtime/internal/budget\.\(\*Budget\)\.reclaim`,
	"graphs":              `poolimpl\.\(\*Engine\)\.returnPrivate`,
	"pages":               `poolimpl\.\(\*paged\)\.grow`,
	"sleep":               `poolimpl\.\(\*paged\)\.fallAsleep`,
	"driver order":        `poolimpl\.\(\*DriverBlocks\)\.allocOrGrow`,
	"streams":             `poolimpl\.onStreams\.poll`,
	"guards":              `poolimpl\.\(\*Sampling\)\.guard`,
	"samples":             `runtime/internal/trace\.\(\*Samples\)\.NoteAlloc`,
	"waits":               `poolimpl\.\(\*Engine\)\.wait`,
	"borrowing":           `poolimpl\.\(\*Engine\)\.borrow`,
	"direct blocks":       `poolimpl\.\(\*Engine\)\.allocDirect`,
	"snapshots":           `poolgen/runtime\.\(\*Snapshot\)\.Write`,
	"traces":              `runtime/internal/trace\.\(\*Recorder\)\.Alloc`,
}

// all is a program whose pools have all of these.
const all = `version: 1
budgets:
  - {name: Shared, limit: 64MiB, scope: host, lease: 1MiB}
pools:
  - {name: Vertex, item: Vertex, guard: {one_in: 10}, profile: true}
  - {name: Frame, suballocator: heap, chunk_size: 1MiB, budget: Shared, on_exhausted: [trim, wait, error]}
  - {name: Temp, allocator: device, item: float32, suballocator: heap, limit: 1GiB, capture: private, on_exhausted: [poll, driver, pool:Spare, error]}
  - {name: Spare, allocator: device, item: float32, suballocator: heap, limit: 1GiB}
  - {name: Weight, allocator: device_virtual, item: float32, suballocator: heap, limit: 4GiB, sleep: {contents: keep, backing: keep}}
  - {name: Vector, allocator: device_async, item: float32, suballocator: none, ordering: driver, limit: 512MiB}
`

// symbols lists the functions of a program that stand for features.
func symbols(t *testing.T, file string) (found []string) {
	t.Helper()
	out, diag, err := (tempmod.Command{Dir: filepath.Dir(file)}).Go("tool", "nm", file)
	if err != nil {
		t.Fatalf("go tool nm: %v\n%s", err, diag)
	}
	for name, function := range features {
		if regexp.MustCompile(`(?m) T \S*` + function + `$`).MatchString(out) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// TestProgramsLinkWhatTheyUse: a program with a plain pool links none of the features, and one that names all of them, with the tag for traces, links all.
func TestProgramsLinkWhatTheyUse(t *testing.T) {
	large.Only(t)
	p := programs["fixed"]
	plain := tempmod.Generated(t, "example.com/plain", p.files("example.com/plain"))
	if found := symbols(t, linked(t, plain, "with")); len(found) > 0 {
		t.Errorf("a program with a plain pool links %s", strings.Join(found, ", "))
	}
	files := p.files("example.com/all")
	files["pools/poolgen.yaml"] = all
	files["with/main.go"] = `package main

import (
	"context"
	"os"

	"example.com/all/pools"
	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

func main() {
	_, _ = poolrt.Record(os.Stdout)
	_, _ = pools.AllocVertex()
	_, _ = pools.AllocFrame(1)
	_, _ = pools.AllocTemp(1)
	_, _ = pools.AllocSpare(1)
	_, _ = pools.AllocWeight(1)
	_ = pools.DefaultWeightPool().Sleep(context.Background())
	var s cuda.Stream
	_, _ = pools.AllocVectorOn(1, s)
	_ = s.BeginCaptureWith([]poolrt.Capturer{pools.DefaultTempPool()})
	_ = poolrt.TakeSnapshot().Write(os.Stdout)
}
`
	dir := tempmod.Generated(t, "example.com/all", files)
	if found := symbols(t, linked(t, dir, "with", "-tags=pooltrace")); len(found) != len(features) {
		t.Errorf("a program with all features links only %s", strings.Join(found, ", "))
	}
}
