package cli

import (
	"os"
	"testing"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/tests/fatal"
)

func TestProgressSpeaksAfterAWhile(t *testing.T) {
	out := new(log)
	g := newProgress(out, time.Millisecond)
	g.say("step %d", 1)
	out.await(t, "step 1\n") // while that step goes on
	g.say("step %d", 2)
	g.stop()
	g.say("step %d", 3)
	if got, want := out.text.String(), "step 1\nstep 2\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out = new(log)
	g = newProgress(out, time.Hour)
	g.say("never")
	g.stop()
	if out.text.Len() > 0 {
		t.Errorf("commands that end early say %q", out.text.String())
	}
}

// A step that takes long is told again, with its time.
func TestProgressRepeatsLongSteps(t *testing.T) {
	out := new(log)
	g := newProgress(out, time.Hour)
	g.say("build")
	started := g.since
	g.wake(started.Add(time.Second))
	g.wake(started.Add(6 * time.Second))
	g.wake(started.Add(11 * time.Second))
	g.say("run")
	g.stop()
	g.wake(started.Add(time.Minute))
	if got, want := out.text.String(), "build\nbuild, for 6s so far\nbuild, for 11s so far\nrun\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Steps of a job say how long the rest of it will take, as long as the steps before.
func TestProgressTellsTheTimeLeft(t *testing.T) {
	out := new(log)
	g := newProgress(out, time.Hour)
	g.due = true
	g.say("pool 1 of 3%v", figure.Left{Done: 0, All: 3})
	g.began = g.began.Add(-20 * time.Second)
	g.say("pool 2 of 3%v", figure.Left{Done: 1, All: 3})
	g.stop()
	if got, want := out.text.String(), "pool 1 of 3\npool 2 of 3, about 40s left\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgressIsForTerminals(t *testing.T) {
	terminal, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a device of characters as terminals are
	fatal.If(t, err)
	defer terminal.Close()
	p := Process{Stderr: terminal}
	g := p.progress()
	if g.out == nil {
		t.Error("silent on a terminal")
	}
	g.stop()
	p.Stderr = new(log)
	g = p.progress()
	g.say("nobody reads this")
	g.stop()
	if g.out != nil {
		t.Error("speaks without a terminal")
	}
}
