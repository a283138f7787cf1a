package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Diagnostics that pages name exist.
func TestCodes(t *testing.T) {
	judgePages(t, 60, "diagnostics", func(p *page) (int, []problem) { return len(p.codes), judgeCodes(p) })
}

// judgeCodes looks up the diagnostics that a page names.
func judgeCodes(p *page) (found []problem) {
	for _, c := range p.codes {
		if _, ok := spec.Explanation(c.text); !ok {
			found = append(found, problem{p.path, c.line, "there is no diagnostic " + c.text})
		}
	}
	return found
}

var (
	testName = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)[A-Z]\w*$`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)\w*)\(`)
)

// Tests that pages name exist: those of an example's page in the example, others anywhere.
func TestNamedTests(t *testing.T) {
	judgePages(t, 60, "names of tests", func(p *page) (int, []problem) { return judgeTests(t, p) })
}

// judgeTests looks up the tests that a page names. Those of a pool Foo are judged with the other names that are generated.
func judgeTests(t *testing.T, p *page) (seen int, found []problem) {
	for _, s := range p.spans {
		if !testName.MatchString(s.text) || ofFoo.MatchString(s.text) {
			continue
		}
		seen++
		if !slices.ContainsFunc(allTests(t)[s.text], func(dir string) bool { return p.example() == "" || p.example() == dir }) {
			found = append(found, problem{p.path, s.line, "there is no " + s.text})
		}
	}
	return seen, found
}

var testsFound map[string][]string

// allTests lists the directories of the module that have a test of a name.
func allTests(t *testing.T) map[string][]string {
	t.Helper()
	if testsFound != nil {
		return testsFound
	}
	testsFound = make(map[string][]string)
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			testsFound[string(m[1])] = append(testsFound[string(m[1])], path.Dir(file))
		}
		return err
	})
	fatal.If(t, err)
	return testsFound
}
