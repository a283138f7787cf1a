package vet

import (
	"os"
	"path"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

// The rules that package blocks finds correct and report what is planted for them. (The other rules have tests in their directories.)
func TestRulesOfBlocks(t *testing.T) {
	for _, rule := range Analyzers() {
		if directory(rule) == "blocks" {
			t.Run(rule.Name, func(t *testing.T) { vettest.Run(t, rule) })
		}
	}
}

// No rule reports anything in the programs of others, nor in those that belong to none.
func TestAllRules(t *testing.T) {
	dir := vettest.Module(t, nil)
	var patterns []string
	for _, name := range vettest.Programs(t) {
		patterns = append(patterns, "./"+name)
	}
	analysistest.Run(t, dir, vettest.Together("all", Analyzers()), patterns...)
}

// directory returns the name of the directory that the code of a rule is in.
func directory(rule *analysis.Analyzer) string {
	function := runtime.FuncForPC(reflect.ValueOf(rule.Run).Pointer()).Name() // path/to/directory.function
	dir, _, _ := strings.Cut(path.Base(function), ".")
	return dir
}

// Each rule is named after the directory that its code is in, or is one of those that blocks finds.
func TestRulesAreNamedAfterTheirDirectories(t *testing.T) {
	if err := analysis.Validate(Analyzers()); err != nil {
		t.Error(err)
	}
	for _, r := range Analyzers() {
		if dir := directory(r); dir != r.Name && dir != "blocks" {
			t.Errorf("rule %s is in directory %s", r.Name, dir)
		}
		if _, err := os.Stat("testdata/" + r.Name); err != nil {
			t.Errorf("rule %s has no program with planted faults: %v", r.Name, err)
		}
	}
}
