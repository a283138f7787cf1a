package vet

import (
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// module makes a module of testdata, where programs use the pools of testdata/pools, and returns its directory.
func module(t *testing.T) string {
	t.Helper()
	t.Setenv("CGO_ENABLED", "0") // otherwise loading would rebuild packages with cgo
	t.Setenv("GOFLAGS", "-mod=mod")
	return tempmod.Generated(t, "example.com/vet", tempmod.Read(t, "testdata"))
}

// all is one analyzer that runs all rules: each program is checked against all of them, and loaded once.
var all = &analysis.Analyzer{
	Name:     "all",
	Doc:      "all rules of poolgen vet",
	Requires: requirements(),
	Run: func(pass *analysis.Pass) (any, error) {
		for _, rule := range Analyzers() {
			own := *pass
			own.Analyzer = rule
			if _, err := rule.Run(&own); err != nil {
				return nil, err
			}
		}
		return nil, nil
	},
}

// requirements returns the analyzers that the rules require, without the rules themselves.
func requirements() (list []*analysis.Analyzer) {
	seen := map[*analysis.Analyzer]bool{}
	for _, rule := range Analyzers() {
		seen[rule] = true
	}
	for _, rule := range Analyzers() {
		for _, r := range rule.Requires {
			if !seen[r] {
				seen[r] = true
				list = append(list, r)
			}
		}
	}
	return list
}

// Each directory of testdata but the corpus is a program with planted faults, and with correct code beside them. The corrected text of a file is in the file
// beside it whose name ends in .golden.
func TestRulesFindPlantedFaults(t *testing.T) {
	programs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, f := range programs {
		if f.IsDir() && f.Name() != "corpus" {
			patterns = append(patterns, "./"+f.Name())
		}
	}
	dir, corrected := module(t), map[string]bool{}
	for _, result := range analysistest.RunWithSuggestedFixes(t, dir, all, patterns...) {
		for _, d := range result.Action.Diagnostics {
			for _, fix := range d.SuggestedFixes {
				corrected[result.Action.Package.Fset.Position(fix.TextEdits[0].Pos).Filename] = true
			}
		}
	}
	golden, err := filepath.Glob(filepath.Join(dir, "*", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range golden {
		if file := strings.TrimSuffix(name, ".golden"); !corrected[file] {
			t.Errorf("no rule corrects anything in %s, which has a golden file", file)
		}
	}
}

// Each rule is named after the directory that its code is in, or is one of those that blocks finds.
func TestRulesAreNamedAfterTheirDirectories(t *testing.T) {
	if err := analysis.Validate(Analyzers()); err != nil {
		t.Error(err)
	}
	for _, r := range Analyzers() {
		function := runtime.FuncForPC(reflect.ValueOf(r.Run).Pointer()).Name() // path/to/directory.function
		dir, _, _ := strings.Cut(path.Base(function), ".")
		if dir != r.Name && dir != "blocks" {
			t.Errorf("rule %s is in directory %s", r.Name, dir)
		}
		if _, err := os.Stat("testdata/" + r.Name); err != nil {
			t.Errorf("rule %s has no program with planted faults: %v", r.Name, err)
		}
	}
}
