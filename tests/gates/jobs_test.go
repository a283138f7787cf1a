package gates

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// TestEachStepHasAJob: CI runs each step of .ci/run in one job.
func TestEachStepHasAJob(t *testing.T) {
	steps := strings.Fields(find(t, ".ci/run", `(?m)^steps="(.*)"$`))
	run := strings.Fields(strings.ReplaceAll(find(t, ".github/workflows/ci.yml", `(?m)^ +steps: \[(.*)\]$`), ",", " "))
	slices.Sort(steps)
	slices.Sort(run)
	if !slices.Equal(steps, run) {
		t.Errorf(".ci/run has the steps %q, CI runs %q", steps, run)
	}
}

// find returns what the group of a regular expression matches in a file of the repository.
func find(t *testing.T, name, expr string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tempmod.Root(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(expr).FindSubmatch(text)
	if m == nil {
		t.Fatalf("%s has no line that matches %s", name, expr)
	}
	return string(m[1])
}
