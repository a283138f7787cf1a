package vet

import (
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Each rule finds what is planted for it in the program that is named after it, and corrects it; no rule finds anything in the programs of others, nor in those
// that belong to none. The comments // want of a program are the findings. The corrected text of a file is in the file beside it whose name ends in .golden; each
// such file is the work of the rule.
func TestPrograms(t *testing.T) {
	dir := vettest.Module(t, nil)
	var patterns []string
	for _, name := range vettest.Programs(t) {
		patterns = append(patterns, "./"+name)
	}
	corrected := map[string]bool{}
	for _, result := range analysistest.RunWithSuggestedFixes(vettest.Quiet(t), dir, together(t), patterns...) {
		for _, d := range result.Action.Diagnostics {
			for _, fix := range d.SuggestedFixes {
				corrected[result.Action.Package.Fset.Position(fix.TextEdits[0].Pos).Filename] = true
			}
		}
	}
	golden, err := filepath.Glob(filepath.Join(dir, "*", "*.golden"))
	fatal.If(t, err)
	for _, name := range golden {
		if file := strings.TrimSuffix(name, ".golden"); !corrected[file] {
			t.Errorf("no rule corrects anything in %s, which has a golden file", file)
		}
	}
}

// together returns an analyzer that runs all rules one after the other, since a program is then loaded once. It fails the test if a rule reports something in the
// program of another. The program of the rule ignore is everybody's: it has the findings that directives silence, or do not.
func together(t *testing.T) *analysis.Analyzer {
	rules := Analyzers()
	return &analysis.Analyzer{
		Name:     "together",
		Doc:      "all rules of poolgen vet",
		Requires: requirements(rules),
		Run: func(pass *analysis.Pass) (any, error) {
			program := path.Base(strings.TrimSuffix(pass.Pkg.Path(), "_test"))
			owned := program != "ignore" && slices.ContainsFunc(rules, func(r *analysis.Analyzer) bool { return r.Name == program })
			for _, rule := range rules {
				own := *pass
				own.Analyzer = rule
				own.Report = func(d analysis.Diagnostic) {
					if owned && rule.Name != program {
						t.Errorf("%v: rule %s reports in the program of another: %s", pass.Fset.Position(d.Pos), rule.Name, d.Message)
					}
					pass.Report(d)
				}
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

// Each rule is named after the file that its code is in, or is one of those that blocks finds.
func TestRulesAreNamedAfterTheirFiles(t *testing.T) {
	if err := analysis.Validate(Analyzers()); err != nil {
		t.Error(err)
	}
	for _, r := range Analyzers() {
		pc := reflect.ValueOf(r.Run).Pointer()
		file, _ := runtime.FuncForPC(pc).FileLine(pc)
		if path.Base(file) != r.Name+".go" && path.Base(path.Dir(file)) != "blocks" {
			t.Errorf("rule %s is in file %s", r.Name, file)
		}
		if _, err := os.Stat("testdata/" + r.Name); err != nil {
			t.Errorf("rule %s has no program with planted faults: %v", r.Name, err)
		}
	}
}
