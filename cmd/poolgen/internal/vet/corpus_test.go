package vet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// corpusCodes has the code for each kind of fault that a function of the corpus is marked with.
var corpusCodes = map[string]string{
	"leak": "PG101", "use": "PG102", "double": "PG103", "pool": "PG104", "part": "PG105", "dropped": "PG106", "reset": "PG107",
	"busy": "PG108", "pinned": "PG109", "copy": "PG111", "hostptr": "PG112", "confined": "PG113",
}

// corpusFunc is a function of the corpus, and what the rules report in it.
type corpusFunc struct {
	file, name string
	from, to   int    // lines
	kind, what string // of the marker; empty if the function is right
	codes      []string
}

// found reports whether the rules report the fault that the function is marked with.
func (f *corpusFunc) found() bool { return slices.Contains(f.codes, corpusCodes[f.kind]) }

// otherCodes returns the codes that the rules report in the function, less that of its fault.
func (f *corpusFunc) otherCodes() []string {
	return slices.DeleteFunc(slices.Clone(f.codes), func(code string) bool { return code == corpusCodes[f.kind] })
}

// subject returns what the file of the function is about.
func (f *corpusFunc) subject() string {
	return strings.TrimSuffix(strings.TrimSuffix(f.file, ".go"), "_test")
}

// The golden file has the number of faults that the rules find in the corpus, the number of right functions with a report, and the names of
// the functions that the rules judge wrongly. The functions were written without knowledge of the code of the rules: the counts tell what
// the rules do with code that they were not made for.
func checkCorpus(t *testing.T, reports []string) {
	functions := readCorpus(t)
	if len(functions) < 200 {
		t.Errorf("the corpus has %d functions, which is less than 200", len(functions))
	}
	addReports(t, functions, reports)
	golden(t, "testdata/corpus.golden", corpusTable(functions)+misjudged(functions))
}

// The documentation shows the table of the golden file.
func TestCorpusTableIsDocumented(t *testing.T) {
	counts, err := os.ReadFile("testdata/corpus.golden")
	fatal.If(t, err)
	page, err := os.ReadFile(filepath.Join(tempmod.Root(t), "docs", "vet.md"))
	fatal.If(t, err)
	table, _, _ := strings.Cut(strings.ReplaceAll(string(counts), "\r\n", "\n"), "\n\n")
	if !strings.Contains(strings.ReplaceAll(string(page), "\r\n", "\n"), "```\n"+table+"\n```\n") {
		t.Errorf("docs/vet.md lacks the table of testdata/corpus.golden:\n%s", table)
	}
}

// readCorpus returns the functions of the corpus in the order of the files.
func readCorpus(t *testing.T) (functions []*corpusFunc) {
	files, err := filepath.Glob("testdata/corpus/*.go")
	fatal.If(t, err)
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		fatal.If(t, err)
		first := len(functions)
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				from, to := fset.Position(d.Pos()).Line, fset.Position(d.End()).Line
				functions = append(functions, &corpusFunc{file: filepath.Base(name), name: d.Name.Name, from: from, to: to})
			}
		}
		for _, group := range file.Comments {
			for _, c := range group.List {
				addMarker(t, functions[first:], fset.Position(c.Pos()), c.Text)
			}
		}
	}
	return functions
}

var corpusMarker = regexp.MustCompile(`^// WRONG (\w+): (.+)`)

// addMarker adds the fault that a comment marks to the function that the comment is in. A function has one marker at most.
func addMarker(t *testing.T, functions []*corpusFunc, at token.Position, comment string) {
	m := corpusMarker.FindStringSubmatch(comment)
	if m == nil {
		if strings.Contains(comment, "WRONG ") {
			t.Errorf("%v: malformed marker: %s", at, comment)
		}
		return
	}
	f := functionAt(functions, filepath.Base(at.Filename), at.Line)
	if f == nil || f.kind != "" || corpusCodes[m[1]] == "" {
		t.Errorf("%v: the marker has an unknown kind, or is in no function, or in one that has a marker", at)
		return
	}
	f.kind, f.what = m[1], m[2]
}

// functionAt returns the function of a line, or nil.
func functionAt(functions []*corpusFunc, file string, line int) *corpusFunc {
	i := slices.IndexFunc(functions, func(f *corpusFunc) bool { return f.file == file && f.from <= line && line <= f.to })
	if i < 0 {
		return nil
	}
	return functions[i]
}

var corpusReport = regexp.MustCompile(`^(\w+\.go):(\d+):\d+: .*?(PG\d+)`)

// addReports adds the codes of reports to the functions that the reports are in. A code counts once in a function: the go command builds
// the package twice, with its tests and without.
func addReports(t *testing.T, functions []*corpusFunc, reports []string) {
	for _, report := range reports {
		var line int
		m := corpusReport.FindStringSubmatch(report)
		if m == nil {
			t.Errorf("unexpected report: %s", report)
			continue
		}
		fmt.Sscan(m[2], &line)
		f := functionAt(functions, m[1], line)
		if f == nil {
			t.Errorf("outside of all functions: %s", report)
			continue
		}
		if !slices.Contains(f.codes, m[3]) {
			t.Logf("%s: %s", f.name, report)
			f.codes = append(f.codes, m[3])
			slices.Sort(f.codes)
		}
	}
}

// corpusTable returns the counts for each subject. The functions of a subject follow each other.
func corpusTable(functions []*corpusFunc) string {
	text := fmt.Sprintf("%-12s %8s %8s %8s %8s\n", "subject", "right", "reported", "wrong", "found")
	for rest := functions; len(rest) > 0; {
		subject := rest[0].subject()
		n := slices.IndexFunc(rest, func(f *corpusFunc) bool { return f.subject() != subject })
		if n < 0 {
			n = len(rest)
		}
		text += corpusRow(subject, rest[:n])
		rest = rest[n:]
	}
	return text + corpusRow("total", functions)
}

// corpusRow counts the right functions, those of them with a report, the wrong functions, and those whose fault is found.
func corpusRow(name string, functions []*corpusFunc) string {
	var right, reported, wrong, found int
	for _, f := range functions {
		switch {
		case f.kind != "":
			wrong++
			if f.found() {
				found++
			}
		default:
			right++
			if len(f.codes) > 0 {
				reported++
			}
		}
	}
	return fmt.Sprintf("%-12s %8d %8d %8d %8d\n", name, right, reported, wrong, found)
}

// misjudged lists the right functions with a report, the wrong ones whose fault is not found, and the wrong ones with a report of another
// kind. That report may be true: a block that is freed twice on one path can leak on another.
func misjudged(functions []*corpusFunc) string {
	right, missed, other := "\nright, but reported:\n", "\nwrong, but not found:\n", "\nwrong, and reported for another fault:\n"
	for _, f := range functions {
		name, codes := f.subject()+"."+f.name, f.otherCodes()
		switch {
		case len(codes) == 0:
		case f.kind == "":
			right += fmt.Sprintf("%s: %s\n", name, strings.Join(codes, " "))
		default:
			other += fmt.Sprintf("%s: %s, not %s\n", name, strings.Join(codes, " "), corpusCodes[f.kind])
		}
		if f.kind != "" && !f.found() {
			missed += fmt.Sprintf("%s: %s %s: %s\n", name, corpusCodes[f.kind], f.kind, f.what)
		}
	}
	return right + missed + other
}
