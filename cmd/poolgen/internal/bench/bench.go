// Package bench compares the pools of a pool file with other ways to get the same memory on this machine: Go's new and make, malloc, and the
// calls of the CUDA driver.
//
// Package program compiles the pools into a program, in which package harness measures them:
//
//	adapter     the loops of each pool, a test file of the generated package
//	Build       the program: generated files + adapter + package harness -> executable
//	Program.Run one process for each pool -> Result
package bench

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/bench/harness"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
	"github.com/poolgen/poolgen/spec"
)

//go:embed harness/*.go harness/malloc/malloc.go harness/driver/*.go
var harnessSource embed.FS

// harnessPath is the import path by which the harness imports its own packages.
const harnessPath = gomod.Path + "/cmd/poolgen/internal/bench/harness"

// Program is a compiled benchmark of the pools of one pool file.
type Program struct {
	*program.Program
	malloc string // the program beside it; "" if there is none
}

// Build compiles the pools of a plan for a benchmark, see [program.Build], and the program that measures malloc. If that program cannot be built,
// note says why.
func Build(ctx context.Context, gocmd gomod.Go, cwd, temp string, changes emit.Changes, plan *spec.Plan, pools []spec.Pool) (p *Program, note string, err error) {
	pooled, err := program.Build(ctx, gocmd, cwd, temp, changes, program.Addition{
		Name: "zz_poolgen_bench", Harness: sources(program.AnyDriver(pools)), Path: harnessPath,
		Adapter: func(packageName, path string) []byte { return adapter(packageName, path, plan, pools) },
	})
	if err != nil {
		return nil, "", err
	}
	malloc, note := buildMalloc(ctx, gocmd, filepath.Join(temp, "malloc"))
	return &Program{pooled, malloc}, note, nil
}

// sources are the files of the harness. The part for the driver is included only if a pool needs it, because compiling it takes long.
func sources(driver bool) map[string][]byte {
	files := program.Files(harnessSource, "harness")
	for name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "malloc/") || strings.HasPrefix(name, "driver/") && !driver {
			delete(files, name)
		}
	}
	return files
}

// buildMalloc compiles the program malloc, in a module that it makes.
func buildMalloc(ctx context.Context, gocmd gomod.Go, dir string) (path, why string) {
	if cgo, err := gocmd.Run(ctx, "", "env", "CGO_ENABLED"); err != nil || strings.TrimSpace(cgo) != "1" {
		return "", "malloc is left out: that takes a C compiler, and CGO_ENABLED must not be 0"
	}
	const name = "poolgen.malloc"
	main, err := harnessSource.ReadFile("harness/malloc/malloc.go")
	if err != nil {
		panic(err) // embedded
	}
	files := map[string][]byte{"go.mod": []byte("module " + name + "\n\ngo " + gomod.Version + "\n"), "main.go": bytes.ReplaceAll(main, []byte(harnessPath), []byte(name+"/harness"))}
	for name, content := range sources(false) {
		files["harness/"+name] = content
	}
	for name, content := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o644)); err != nil {
			return "", "malloc is left out: " + err.Error()
		}
	}
	path = filepath.Join(dir, "malloc.exe")
	if _, err := gocmd.Temporary().Run(ctx, dir, "build", "-o", path, "."); err != nil {
		return "", "malloc is left out, as it does not compile: " + err.Error()
	}
	return path, ""
}

// Options say how long to measure.
type Options = harness.Options

// Row is one figure.
type Row = harness.Row

// Pool is the Who of the pool's own rows.
const Pool = harness.PoolWho

// Result is what was measured of a pool.
type Result struct{ harness.Result }

// Ratio is a figure divided by the pool's own figure in the same case. It is 0 if the pool has no figure, or if the pool was too quick for the clock.
func (r Result) Ratio(row Row) float64 {
	for _, own := range r.Rows {
		if own.Case == row.Case && own.Who == Pool && own.NS > 0 {
			return row.NS / own.NS
		}
	}
	return 0
}

// Run measures a pool, in a process of its own.
func (p *Program) Run(ctx context.Context, pool string, o Options) (Result, error) {
	out := filepath.Join(p.Temp, "result")
	if err := p.Program.Run(ctx, pool, strconv.Itoa(o.Turns), o.Span.String(), p.malloc, out); err != nil {
		return Result{}, fmt.Errorf("pool %q: %w", pool, err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return Result{}, err
	}
	var r Result
	if err := json.Unmarshal(data, &r.Result); err != nil {
		return Result{}, fmt.Errorf("result of pool %q: %w", pool, err)
	}
	return r, nil
}
