package spec

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/poolgen/poolgen/tests/fatal"
)

var update = flag.Bool("update", false, "write the golden files")

// check runs a pool file through the whole package, beside a Go file in the output directory.
func check(t testing.TB, file, goFile string) (*Plan, Diagnostics) {
	t.Helper()
	env := Env{Dir: "scene"}
	if goFile != "" {
		found, err := ScanDir(fstest.MapFS{"hand.go": {Data: []byte(goFile)}}, nil, nil)
		fatal.If(t, err)
		env = found
	}
	doc, found := Load("poolgen.yaml", []byte(file))
	if (doc == nil) == (len(found) == 0) {
		t.Fatalf("Load answered document %v and %d findings", doc != nil, len(found))
	}
	if doc == nil {
		return nil, found
	}
	plan, found := doc.Validate(env)
	if (plan == nil) == (len(found) == 0) {
		t.Fatalf("Validate answered plan %v and %d findings", plan != nil, len(found))
	}
	return plan, found
}

// Each example of the table of codes causes that code alone, its correction causes no finding, and
// the exact text of the finding is in the golden file.
func TestEachExampleCausesItsCodeAlone(t *testing.T) {
	var got strings.Builder
	for _, info := range Codes() {
		if info.Generator || info.Vet { // cmd/poolgen/internal/vet tests its own codes
			continue
		}
		_, found := check(t, info.Bad, info.GoFile)
		if len(found) != 1 || found[0].Code != info.Code {
			t.Errorf("%s: the bad example gives\n%s", info.Code, found.Text(false))
		}
		if _, found := check(t, info.Good, info.GoFile); len(found) > 0 {
			t.Errorf("%s: the good example gives\n%s", info.Code, found.Text(false))
		}
		fmt.Fprintf(&got, "== %s %s\n%s\n", info.Code, info.Title, found.Text(false))
	}
	golden(t, "testdata/codes.golden", got.String())
}

// golden compares with a file, and shows the first line that differs.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		fatal.If(t, os.WriteFile(name, []byte(got), 0o644))
		return
	}
	raw, err := os.ReadFile(name)
	fatal.If(t, err)
	want := strings.Split(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n")
	lines := strings.Split(got, "\n")
	line := func(list []string, i int) string {
		return strings.Join(list[min(i, len(list)):min(i+1, len(list))], "")
	}
	for i := range max(len(lines), len(want)) {
		if line(lines, i) != line(want, i) {
			t.Fatalf("%s:%d differs (-update rewrites it)\n got: %s\nwant: %s", name, i+1, line(lines, i), line(want, i))
		}
	}
}

// Every code that the package can report is in the table once, with all its texts.
func TestEveryCodeIsInTheTable(t *testing.T) {
	listed := make(map[Code]bool)
	for _, info := range Codes() {
		if listed[info.Code] {
			t.Errorf("%s is listed twice", info.Code)
		}
		listed[info.Code] = true
		if info.Title == "" || info.Help == "" || !info.Generator && (info.Bad == "" || info.Good == "") || info.Vet != (info.Fix != "") {
			t.Errorf("%s lacks a text", info.Code)
		}
	}
	files, err := filepath.Glob("codes*.go")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		fatal.If(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && regexp.MustCompile(`^"PG[0-9]+"$`).MatchString(lit.Value) {
				if code := Code(strings.Trim(lit.Value, `"`)); !listed[code] {
					t.Errorf("%s is not in the table", code)
				}
			}
			return true
		})
	}
}
