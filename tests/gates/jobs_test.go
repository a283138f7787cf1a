package gates

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// TestEachStepHasAJob: CI runs each step of .ci/run in one job.
func TestEachStepHasAJob(t *testing.T) {
	script := read(t, ".ci/run")
	all := regexp.MustCompile(`(?m)^steps="(.*)"$`).FindStringSubmatch(script)
	if all == nil {
		t.Fatal(".ci/run has no list of steps")
	}
	matrix := regexp.MustCompile(`(?m)^ +steps: \[(.*)\]$`).FindStringSubmatch(read(t, ".github/workflows/ci.yml"))
	if matrix == nil {
		t.Fatal("ci.yml has no list of steps")
	}
	steps, run := strings.Fields(all[1]), strings.Fields(strings.ReplaceAll(matrix[1], ",", " "))
	slices.Sort(steps)
	slices.Sort(run)
	if len(steps) == 0 || !slices.Equal(steps, run) {
		t.Errorf(".ci/run has the steps %q, CI runs %q", steps, run)
	}
}

// read returns the text of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tempmod.Root(t), filepath.FromSlash(name)))
	fatal.If(t, err)
	return string(text)
}
