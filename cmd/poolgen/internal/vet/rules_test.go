package vet

import (
	"os"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// module makes a module of testdata, where programs use the pools of testdata/pools, and returns its folder.
func module(t *testing.T) string {
	t.Helper()
	t.Setenv("CGO_ENABLED", "0") // or packages of C are made anew to be loaded
	t.Setenv("GOFLAGS", "-mod=mod")
	return tempmod.Generated(t, "example.com/vet", tempmod.Read(t, "testdata"))
}

// all is one analyzer that does what all rules do, so that each program is held against all of them, and loaded once.
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

// requirements are what the rules require of each other, less the rules.
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

// Each folder of testdata is a program with planted faults, and with code beside them that is right.
func TestRulesFindPlantedFaults(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, f := range folders {
		if f.IsDir() {
			patterns = append(patterns, "./"+f.Name())
		}
	}
	analysistest.Run(t, module(t), all, patterns...)
}
