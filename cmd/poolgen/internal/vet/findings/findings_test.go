package findings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// source has a line with a character of several bytes before the place that findings are about.
const source = "package a\n\nfunc f() { _ = \"é\"; g() }\n"

// report returns the output of go vet -json for one finding, in a package and in its tests.
func report(pkg, rule, list string) string { return fmt.Sprintf("{%q: {%q: %s}}\n", pkg, rule, list) }

func finding(from, to, message, more string) string {
	return fmt.Sprintf(`[{"category": "PG103", "posn": %q, "end": %q, "message": %q%s}]`, from, to, message, more)
}

func read(t *testing.T, text string, packages ...string) List {
	t.Helper()
	l, err := Read(strings.NewReader(text), packages, func(name string) ([]byte, error) {
		if name != "a.go" {
			return nil, os.ErrNotExist
		}
		return []byte(source), nil
	})
	fatal.If(t, err)
	return l
}

func TestFindingsAreThereOnceAndInOrder(t *testing.T) {
	late := finding("a.go:3:21", "a.go:3:24", "PG103: late", "")
	early := finding("a.go:1:1", "a.go:1:8", "PG103: early", "")
	l := read(t, report("x", "leak", late)+report("x [x.test]", "leak", late)+report("x_test [x.test]", "leak", early)+
		report("y", "leak", finding("b.go:1:1", "b.go:1:2", "not asked for", "")), "x")
	var got []string
	for _, d := range l.Diagnostics(filepath.Base) {
		got = append(got, fmt.Sprintf("%s:%d:%d-%d %s", d.File, d.Pos.Line, d.Pos.Column, d.End.Column, d.Message))
	}
	want := []string{"a.go:1:1-8 early", "a.go:3:20-23 late"} // columns count characters
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNotesAndHelpComeAlong(t *testing.T) {
	l := read(t, report("x", "leak", finding("a.go:3:21", "a.go:4:1", "PG103: m",
		`, "related": [{"posn": "a.go:1:1", "end": "a.go:1:8", "message": "here"}], "suggested_fixes": [{"message": "free it"}]`)), "x")
	d := l.Diagnostics(filepath.Base)[0]
	if len(d.Notes) != 1 || d.Notes[0].Message != "here" || d.Notes[0].Excerpt != "package a" {
		t.Errorf("notes: %+v", d.Notes)
	}
	if d.Help != "free it; --fix does it" {
		t.Errorf("help: %q", d.Help)
	}
	if d.End.Line != 3 || d.Excerpt != `func f() { _ = "é"; g() }` {
		t.Errorf("a finding over two lines shows the first: %+v", d)
	}
}

func TestAFileThatIsGoneHasNoExcerpt(t *testing.T) {
	d := read(t, report("x", "leak", finding("gone.go:7:3", "gone.go:7:9", "PG103: m", "")), "x").Diagnostics(filepath.Base)[0]
	if d.Excerpt != "" || d.Pos.Line != 7 {
		t.Errorf("%+v", d)
	}
}

func TestWhatIsNoFindingIsAnError(t *testing.T) {
	for text, want := range map[string]string{
		"panic: no":                          "something else than findings",
		report("x", "leak", `{"error": ""}`): "rule leak failed on x",
	} {
		_, err := Read(strings.NewReader(text), []string{"x"}, os.ReadFile)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// save overwrites an existing file.
func save(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// correct applies the corrections to a file, and returns its new content.
func correct(t *testing.T, edits ...string) (changed []string, text string, err error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.go")
	fatal.If(t, os.WriteFile(name, []byte(source), 0o640))
	var all string
	for _, e := range edits {
		fixes := fmt.Sprintf(`, "suggested_fixes": [{"edits": [%s]}]`, strings.ReplaceAll(e, "FILE", name))
		all += report("x", "leak", finding(name+":3:1", name+":3:2", e, fixes))
	}
	l, err := Read(strings.NewReader(all), []string{"x"}, os.ReadFile)
	fatal.If(t, err)
	changed, err = l.Fix(save)
	got, rerr := os.ReadFile(name)
	if rerr != nil {
		t.Fatal(rerr)
	}
	info, serr := os.Stat(name)
	if serr != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), serr)
	}
	return changed, string(got), err
}

func edited(start, end int, text string) string {
	return fmt.Sprintf(`{"filename": "FILE", "start": %d, "end": %d, "new": %q}`, start, end, text)
}

func TestFixAppliesWhatDoesNotOverlap(t *testing.T) {
	at := strings.Index(source, "g()")
	changed, text, err := correct(t, edited(at, at+3, "h()"), edited(at+1, at+3, "g(1)"), edited(0, 0, "// A.\n"))
	if err != nil || len(changed) != 1 {
		t.Fatal(changed, err)
	}
	if want := "// A.\n" + strings.Replace(source, "g()", "h()", 1); text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

func TestFixLeavesAFileThatWouldNotParse(t *testing.T) {
	for name, e := range map[string]string{"does not parse": edited(0, 7, "{"), "has changed": edited(500, 501, "x")} {
		changed, text, err := correct(t, e)
		if err == nil || !strings.Contains(err.Error(), name) || len(changed) != 0 || text != source {
			t.Errorf("%s: %v, %v, %q", name, changed, err, text)
		}
	}
}

func TestFixWritesThroughItsCaller(t *testing.T) {
	edits := `, "suggested_fixes": [{"edits": [{"filename": "a.go", "start": 0, "end": 0, "new": "// A.\n"}]}]`
	l := read(t, report("x", "leak", finding("a.go:1:1", "a.go:1:2", "m", edits)), "x")
	full := errors.New("disk full")
	changed, err := l.Fix(func(name, text string) error {
		if name != "a.go" || text != "// A.\n"+source {
			t.Errorf("writes %q into %s", text, name)
		}
		return full
	})
	if !errors.Is(err, full) || len(changed) > 0 {
		t.Errorf("%v, %v", changed, err)
	}
}
