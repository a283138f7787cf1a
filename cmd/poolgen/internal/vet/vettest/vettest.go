// Package vettest runs a rule of poolgen vet over the programs of testdata, which have planted faults, and correct code beside them.
package vettest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/packages"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// Run runs one rule, alone, over the program in testdata that is named after the rule. The comments // want of the program are the findings. The
// corrected text of a file is in the file beside it whose name ends in .golden; each such file is the work of the rule.
func Run(t *testing.T, rule *analysis.Analyzer) {
	t.Helper()
	dir := Module(t, nil)
	corrected := map[string]bool{}
	for _, result := range analysistest.RunWithSuggestedFixes(t, dir, rule, "./"+rule.Name) {
		for _, d := range result.Action.Diagnostics {
			for _, fix := range d.SuggestedFixes {
				corrected[result.Action.Package.Fset.Position(fix.TextEdits[0].Pos).Filename] = true
			}
		}
	}
	golden, err := filepath.Glob(filepath.Join(dir, rule.Name, "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range golden {
		if file := strings.TrimSuffix(name, ".golden"); !corrected[file] {
			t.Errorf("rule %s corrects nothing in %s, which has a golden file", rule.Name, file)
		}
	}
}

// Together returns an analyzer that runs rules one after the other: a program is then checked against all of them, and loaded once.
func Together(name string, rules []*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      "several rules of poolgen vet",
		Requires: requirements(rules),
		Run: func(pass *analysis.Pass) (any, error) {
			for _, rule := range rules {
				own := *pass
				own.Analyzer = rule
				if _, err := rule.Run(&own); err != nil {
					return nil, err
				}
			}
			return nil, nil
		},
	}
}

// requirements returns the analyzers that rules require, without the rules themselves.
func requirements(rules []*analysis.Analyzer) (list []*analysis.Analyzer) {
	for _, rule := range rules {
		for _, r := range rule.Requires {
			if !slices.Contains(rules, r) && !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	return list
}

// Module makes a module of testdata and of more files, with the pools of testdata/pools generated, and returns its directory. The module lasts as long
// as the test, whose environment is set for loading the module. The path of the module is example.com/vet.
func Module(t *testing.T, more map[string]string) (dir string) {
	t.Helper()
	t.Setenv("CGO_ENABLED", "0") // otherwise loading would rebuild packages with cgo
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	files := tempmod.Read(t, Testdata(t))
	maps.Copy(files, more)
	dir = tempmod.New(t, "example.com/vet", files)
	generate(t, dir)
	return dir
}

// Testdata returns the directory of the programs.
func Testdata(t *testing.T) string {
	return filepath.Join(tempmod.Root(t), "cmd", "poolgen", "internal", "vet", "testdata")
}

// generate generates the pools of a module in this process: building the command would take longer than a test.
func generate(t *testing.T, dir string) {
	t.Helper()
	w := &workspace.Workspace{Dir: dir, Environ: os.Environ(), Version: "test"}
	units, found, err := w.Build(t.Context(), []string{filepath.Join("pools", "poolgen.yaml")})
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
