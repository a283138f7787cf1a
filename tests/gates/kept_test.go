package gates

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// promisers are the pages of promises. A promise is a row of a table whose last column is "test", and each section has one.
var promisers = []string{"SECURITY.md", "docs/behaviour.md"}

var (
	testName = regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	linkTo   = regexp.MustCompile(`\]\(([^)]+)\)`)
	columns  = regexp.MustCompile(`^\|.*\| test \|$`)
)

// unkept returns the promises of a page without a test, or with one that is not below a directory that they link to, and the sections without a promise.
func unkept(t *testing.T, root, page, text string) (faults []string) {
	t.Helper()
	section, promises, inTable := "", 0, false
	known := map[string]map[string]bool{}
	for i, line := range strings.Split(text+"\n## ", "\n") {
		if title, begins := strings.CutPrefix(line, "## "); begins {
			if section != "" && promises == 0 {
				faults = append(faults, fmt.Sprintf("%s: %q promises nothing", page, section))
			}
			section, promises = title, 0
		}
		if inTable && strings.HasPrefix(line, "| ") {
			promises++
			for _, fault := range missing(t, root, path.Dir(page), line, known) {
				faults = append(faults, fmt.Sprintf("%s:%d: %s", page, i+1, fault))
			}
		}
		inTable = columns.MatchString(line) || inTable && strings.HasPrefix(line, "|")
	}
	return faults
}

// missing returns what a promise lacks. Known has the functions of tests, by directory.
func missing(t *testing.T, root, dir, promise string, known map[string]map[string]bool) (faults []string) {
	t.Helper()
	names, links := testName.FindAllStringSubmatch(promise, -1), linkTo.FindAllStringSubmatch(promise, -1)
	if len(names) == 0 {
		faults = append(faults, "promised without a test")
	}
	for _, name := range names {
		if !slices.ContainsFunc(links, func(link []string) bool {
			below := path.Join(dir, link[1])
			if known[below] == nil {
				known[below] = testsBelow(t, root, below)
			}
			return known[below][name[1]]
		}) {
			faults = append(faults, "there is no "+name[1]+" where it says")
		}
	}
	return faults
}

// testsBelow returns the functions of tests below a directory. A page has none.
func testsBelow(t *testing.T, root, dir string) map[string]bool {
	t.Helper()
	var files []*ast.File
	if info, err := os.Stat(filepath.Join(root, dir)); err == nil && info.IsDir() {
		for _, name := range goFiles(t, root, dir) {
			if text, err := os.ReadFile(filepath.Join(root, name)); err == nil && strings.HasSuffix(name, "_test.go") {
				files = append(files, parse(t, name, text).tree)
			}
		}
	}
	return scopeOf(files...).declared
}

// TestPromisesHaveTests checks that each promise names tests that exist.
func TestPromisesHaveTests(t *testing.T) {
	root := tempmod.Root(t)
	for _, page := range promisers {
		text, err := os.ReadFile(filepath.Join(root, page))
		fatal.If(t, err)
		for _, fault := range unkept(t, root, page, string(text)) {
			t.Error(fault)
		}
	}
}

// TestUnkeptPromisesAreFound plants promises.
func TestUnkeptPromisesAreFound(t *testing.T) {
	planted := "## A\n| promise | test |\n|---|---|\n" +
		"| a | `TestNothing` in [x](../tests/gates) |\n| b | trust us |\n| c | `TestPromisesHaveTests` in [x](../tests/gates) |\n" +
		"| d | `TestPromisesHaveTests` in [x](kept.md) |\n\n| figure | ns |\n|---|---|\n| e | 1 |\n## B\nWords.\n"
	want := []string{
		"docs/p.md:4: there is no TestNothing where it says", "docs/p.md:5: promised without a test",
		"docs/p.md:7: there is no TestPromisesHaveTests where it says", `docs/p.md: "B" promises nothing`,
	}
	if got := unkept(t, tempmod.Root(t), "docs/p.md", planted); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found %q\nwant %q", got, want)
	}
}
