package schedules

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/large"
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
	most := large.Or("4000", "500")
	if *only != "" { // whoever names a scenario waits for it
		most = "4000"
	}
	args := []string{"-only", *only, "-most", most, "-first=" + strconv.FormatBool(*planted != "")}
	switch {
	case *replay != "":
		args = append(args, "-replay", *replay)
	case *all:
		args = append(args, "-preemptions", "3", "-most", "0")
	}
	list := run(t, program, args...)
	t.Logf("%-16s %-54s %7s %9s %9s %6s %s", "subject", "scenario", "threads", "schedules", "states", "s", "all of n preemptions")
	var spent time.Duration
	for _, r := range list {
		spent += r.Time
		t.Logf("%-16s %-54s %7d %9d %9d %6.2f %s", r.Subject, r.Name, r.Threads, r.Schedules, r.States, r.Time.Seconds(), r.All)
		if r.Fault != "" {
			t.Errorf("%s/%s after %.1f s: %s\n\tgo test ./tests/schedules -v -schedules.only '^%s/%s$' -schedules.replay '%s'", r.Subject, r.Name, spent.Seconds(), r.Fault, r.Subject, r.Name, r.Schedule)
		}
	}
	sums(t, list)
}

// sums prints a line for each subject.
func sums(t *testing.T, list []explore.Result) {
	t.Helper()
	t.Logf("%-16s %9s %9s %9s %6s %9s %9s", "subject", "scenarios", "schedules", "states", "s", "all", "all of 1")
	for len(list) > 0 {
		subject, n := list[0].Subject, 0
		var sum explore.Report
		all := map[string]int{}
		for ; n < len(list) && list[n].Subject == subject; n++ {
			r := &list[n]
			sum.Schedules, sum.States, sum.Time = sum.Schedules+r.Schedules, sum.States+r.States, sum.Time+r.Time
			all[r.All]++
		}
		t.Logf("%-16s %9d %9d %9d %6.1f %9d %9d", subject, n, sum.Schedules, sum.States, sum.Time.Seconds(), n-all["1"]-all[""], n-all[""])
		list = list[n:]
	}
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

// run runs the program, on all processors: each explores some of the cases, until one finds a planted fault.
func run(t *testing.T, program string, args ...string) (list []explore.Result) {
	t.Helper()
	n := runtime.GOMAXPROCS(0)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	type output struct {
		text []byte
		err  error
	}
	parts := make([]chan output, n)
	for i := range parts {
		parts[i] = make(chan output, 1)
		go func() {
			cmd := exec.CommandContext(ctx, program, slices.Concat(args, []string{"-part", strconv.Itoa(i), "-of", strconv.Itoa(n)})...)
			cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
			text, err := cmd.Output()
			if err != nil && *planted != "" {
				stop()
			}
			parts[i] <- output{text, err}
		}()
	}
	for _, part := range parts {
		out := <-part
		var exit *exec.ExitError
		found := errors.As(out.err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() < 0 && ctx.Err() != nil) // here, or in another part
		if out.err != nil && !found {
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
	slices.SortStableFunc(list, func(a, b explore.Result) int { return cmp.Compare(a.Subject, b.Subject) })
	return list
}
