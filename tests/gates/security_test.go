package gates

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/tempmod"
)

var (
	testName = regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	linkTo   = regexp.MustCompile(`\]\(([^)]+)\)`)
)

// unkept returns the tests that a text names and that are not in the directories that the same line links to, and lines of its tables
// that name no test.
func unkept(root, text string) (faults []string) {
	for i, line := range strings.Split(text, "\n") {
		names := testName.FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "| ") && line != "| promise | test |" && len(names) == 0 {
			faults = append(faults, fmt.Sprintf("line %d is promised without a test", i+1))
		}
		declared := ""
		for _, link := range linkTo.FindAllStringSubmatch(line, -1) {
			_ = filepath.WalkDir(filepath.Join(root, link[1]), func(path string, _ os.DirEntry, err error) error {
				if err == nil && strings.HasSuffix(path, "_test.go") {
					source, _ := os.ReadFile(path)
					declared += string(source)
				}
				return nil
			})
		}
		for _, name := range names {
			if strings.HasPrefix(line, "| ") && !strings.Contains(declared, "\nfunc "+name[1]+"(") {
				faults = append(faults, fmt.Sprintf("line %d: there is no %s where it says", i+1, name[1]))
			}
		}
	}
	return faults
}

// TestPromisesHaveTests checks that each promise of SECURITY.md names tests that exist.
func TestPromisesHaveTests(t *testing.T) {
	root := tempmod.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range unkept(root, string(text)) {
		t.Error(fault)
	}
	planted := "| promise | test |\n| a | `TestNothing` in [x](tests/gates) |\n| b | trust us |\n| c | `TestPromisesHaveTests` in [x](tests/gates) |\n"
	if got := unkept(root, planted); len(got) != 2 {
		t.Errorf("of two faults it finds %q", got)
	}
}
