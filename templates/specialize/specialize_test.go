package specialize_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/poolgen/poolgen/templates/specialize"
	"github.com/poolgen/poolgen/tests/fatal"
)

var update = flag.Bool("update", false, "rewrite the wanted output in testdata")

// TestGolden runs each testdata/*.txtar. An archive begins with a sentence that says what it shows. It holds
// the template packages, each file under its import path, and the file "instance", whose lines are
//
//	root: path / replace: path = path / bind: key = value / type: key = type /
//	import: qualifier = path / name: key = name / doc: key = text / prefix: word
//	want: name / residual: path / keep: name (instead of root: runs Residual)
//
// If there is a file "given" with the same lines and "as: path", that instance is made first, and given to the other as that import.
//
// and "want", the output, or "error", what the refusal says.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			golden(t, file)
		})
	}
}

func golden(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	fatal.If(t, err)
	if len(strings.TrimSpace(string(ar.Comment))) == 0 {
		t.Errorf("no sentence of purpose")
	}
	c := parseCase(t, ar)
	got, err := c.run()
	name := "want"
	if err != nil {
		name, got = "error", err.Error()+"\n"
	}
	if *update {
		rewrite(t, file, ar, name, got)
		return
	}
	if want, ok := c.expect[name]; !ok || got != want {
		t.Errorf("%s: -want +got\n%s", name, lineDiff(want, got))
	}
}

// testCase is a parsed archive.
type testCase struct {
	lib      specialize.Library
	inst     specialize.Instance
	given    *testCase
	as       string // path that it is given as
	residual string
	keep     map[string]bool
	expect   map[string]string
}

func parseCase(t testing.TB, ar *txtar.Archive) *testCase {
	t.Helper()
	c := newCase()
	for _, f := range ar.Files {
		switch f.Name {
		case "instance":
			c.lines(t, string(f.Data))
		case "given":
			c.given = newCase()
			c.given.lines(t, string(f.Data))
		case "want", "error":
			c.expect[f.Name] = string(f.Data)
		default:
			dir, base := path.Split(f.Name)
			dir = path.Clean(dir)
			if c.lib[dir] == nil {
				c.lib[dir] = map[string]string{}
			}
			c.lib[dir][base] = string(f.Data)
		}
	}
	return c
}

func newCase() *testCase {
	return &testCase{lib: specialize.Library{}, keep: map[string]bool{}, expect: map[string]string{}, inst: specialize.Instance{
		Replace: map[string]string{}, Bind: map[string]string{}, Types: map[string]string{},
		Imports: map[string]string{}, Names: map[string]string{}, Given: map[string]*specialize.Result{}, Docs: map[string]string{},
	}}
}

func (c *testCase) lines(t testing.TB, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		fatal.If(t, c.line(strings.TrimSpace(line)))
	}
}

func (c *testCase) line(line string) error {
	if line == "" {
		return nil
	}
	key, arg, _ := strings.Cut(line, ":")
	left, right, _ := strings.Cut(arg, " = ")
	left, right = strings.TrimSpace(left), strings.TrimSpace(right)
	switch key {
	case "root":
		c.inst.Root = left
	case "prefix":
		c.inst.Prefix = left
	case "replace":
		c.inst.Replace[left] = right
	case "bind":
		c.inst.Bind[left] = right
	case "type":
		c.inst.Types[left] = right
	case "import":
		c.inst.Imports[left] = right
	case "name":
		c.inst.Names[left] = right
	case "doc":
		c.inst.Docs[left] = strings.ReplaceAll(right, `\n`, "\n")
	case "want":
		c.inst.Want = left
	case "as":
		c.as = left
	case "residual":
		c.residual = left
	case "keep":
		c.keep[left] = true
	default:
		return fmt.Errorf("instance: unknown line %q", line)
	}
	return nil
}

// border stands between the output file of what is given and the other.
const border = "== above is what this one is given ==\n"

// run returns the whole output file, after that of what is given.
func (c *testCase) run() (string, error) {
	if c.residual != "" {
		files, err := specialize.Residual(c.lib, c.residual, c.inst.Bind, c.keep)
		if err != nil {
			return "", err
		}
		ar := &txtar.Archive{}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(files[name])})
		}
		return strings.ReplaceAll(string(txtar.Format(ar)), "-- ", "== "), nil
	}
	s := specialize.New(c.lib)
	before := ""
	if c.given != nil {
		r, err := s.Specialize(c.given.inst)
		if err != nil {
			return "", err
		}
		before = string(r.File("", "out")) + border
		c.inst.Given[c.given.as] = r
	}
	r, err := s.Specialize(c.inst)
	if err != nil {
		return "", err
	}
	return before + string(r.File("", "out")), nil
}

func rewrite(t *testing.T, file string, ar *txtar.Archive, name, got string) {
	var kept []txtar.File
	for _, f := range ar.Files {
		if f.Name != "want" && f.Name != "error" {
			kept = append(kept, f)
		}
	}
	ar.Files = append(kept, txtar.File{Name: name, Data: []byte(got)})
	fatal.If(t, os.WriteFile(file, txtar.Format(ar), 0o666))
}
