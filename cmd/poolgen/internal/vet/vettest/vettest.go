// Package vettest makes a module of the programs of testdata, which have planted faults, and correct code beside them, and runs the rules of poolgen vet there.
package vettest

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/packages"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// Run runs an analyzer over packages of a module. The comments // want of the packages are the findings.
func Run(t *testing.T, dir string, a *analysis.Analyzer, patterns ...string) {
	t.Helper()
	analysistest.Run(Quiet(t), dir, a, patterns...)
}

// Quiet returns a test that only fails. With a whole one, package analysistest would build a program first, to see whether the go command can.
func Quiet(t *testing.T) analysistest.Testing { return struct{ analysistest.Testing }{t} }

// Module makes a module of testdata and of more files, with their pools generated, and returns its directory. The module lasts as long
// as the test, whose environment is set for loading the module. The path of the module is example.com/vet.
func Module(t *testing.T, more map[string]string) (dir string) {
	t.Helper()
	percent := debug.SetGCPercent(200) // most of what is loaded stays
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	t.Setenv("CGO_ENABLED", "0") // otherwise loading would rebuild packages with cgo
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=mod")
	t.Setenv("GOWORK", "off")
	files := tempmod.Read(t, Testdata(t))
	maps.Copy(files, more)
	dir = tempmod.New(t, "example.com/vet", files)
	generate(t, dir, slices.DeleteFunc(slices.Collect(maps.Keys(files)), func(name string) bool { return path.Base(name) != workspace.PoolFile }))
	return dir
}

// Testdata returns the directory of the programs.
func Testdata(t *testing.T) string {
	return filepath.Join(tempmod.Root(t), "cmd", "poolgen", "internal", "vet", "testdata")
}

// generate generates the pools of a module in this process: building the command would take longer than a test.
func generate(t *testing.T, dir string, poolFiles []string) {
	t.Helper()
	w := &workspace.Workspace{Dir: dir, Environ: os.Environ(), Version: "test"}
	units, found, err := w.Build(t.Context(), poolFiles)
	if err != nil || len(found) > 0 {
		t.Fatalf("the pools of testdata: %v, %v", found, err)
	}
	for _, u := range units {
		for _, c := range u.Sets() {
			if err := emit.Apply(t.Context(), *c); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Mode is what rules need of packages. Without modules, a rule would take each package for one of the standard library.
const Mode = packages.LoadAllSyntax | packages.NeedModule

// Programs returns the programs with planted faults: the directories of testdata, without the corpus and the pools.
func Programs(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(Testdata(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range entries {
		if f.IsDir() && f.Name() != "corpus" && f.Name() != "pools" {
			names = append(names, f.Name())
		}
	}
	return names
}
