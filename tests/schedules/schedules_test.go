package schedules

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/tempmod"
)

var (
	all     = flag.Bool("schedules.all", false, "explore all schedules of up to three preemptions, which takes hours")
	only    = flag.String("schedules.only", "", "explore what matches this regular expression of subject/scenario")
	replay  = flag.String("schedules.replay", "", "run this schedule of the scenario that -schedules.only matches, and print each step")
	planted = flag.String("schedules.overlay", "", "an overlay for the go command with a planted fault")
)

// TestSchedules explores all scenarios. No schedule leads to a fault.
func TestSchedules(t *testing.T) {
	program := link(t)
	args := []string{"-only", *only, "-most", "4000", "-first=" + strconv.FormatBool(*planted != "")}
	switch {
	case *replay != "":
		args = append(args, "-replay", *replay)
	case *all:
		args = append(args, "-preemptions", "3", "-most", "0")
	}
	t.Logf("%-18s %-44s %7s %10s %9s %7s", "subject", "scenario", "threads", "schedules", "states", "s")
	for _, r := range run(t, program, args...) {
		t.Logf("%-18s %-44s %7d %10d %9d %7.2f %s", r.Subject, r.Name, r.Threads, r.Schedules, r.States, r.Time.Seconds(), extent(r))
		if r.Fault != "" {
			t.Errorf("%s/%s: %s\n\tgo test ./tests/schedules -v -schedules.only '^%s/%s$' -schedules.replay '%s'", r.Subject, r.Name, r.Fault, r.Subject, r.Name, r.Schedule)
		}
	}
}

// extent says how much of the schedules was explored.
func extent(r explore.Result) string {
	if r.Exhausted {
		return "all"
	}
	return "some"
}

// link builds the program.
func link(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "explorer")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := Link(tempmod.Root(t), program, *planted); err != nil {
		t.Fatal(err)
	}
	return program
}

// run runs the program, on all processors: each explores some of the cases.
func run(t *testing.T, program string, args ...string) (list []explore.Result) {
	t.Helper()
	n := runtime.GOMAXPROCS(0)
	type output struct {
		text []byte
		err  error
	}
	parts := make([]chan output, n)
	for i := range parts {
		parts[i] = make(chan output, 1)
		go func() {
			cmd := exec.Command(program, append(args, "-part", strconv.Itoa(i), "-of", strconv.Itoa(n))...)
			cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
			text, err := cmd.Output()
			parts[i] <- output{text, err}
		}()
	}
	for _, part := range parts {
		out := <-part
		var exit *exec.ExitError
		if out.err != nil && (!errors.As(out.err, &exit) || exit.ExitCode() != 1) {
			t.Fatalf("%v\n%s", out.err, out.text)
		}
		for line := range bytes.Lines(out.text) {
			var r explore.Result
			if err := json.Unmarshal(line, &r); err != nil {
				t.Log(strings.TrimRight(string(line), "\n")) // a step of a replay
				continue
			}
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		t.Fatalf("no scenario matches %q", *only)
	}
	return list
}
