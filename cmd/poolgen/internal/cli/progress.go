package cli

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
)

const (
	soon  = time.Second      // how long a command may take before it prints its steps
	still = 10 * time.Second // how often it says how long the last one has taken so far
)

// progress prints the steps of a command, one a line, once the command has run for a while: the current step,
// and those that follow. It repeats a long step with its time.
type progress struct {
	out   io.Writer // nil: no output
	timer *time.Timer

	mu    sync.Mutex
	step  string // the current step
	since time.Time
	began time.Time // the job that has steps with figure.Left
	told  bool      // the step was printed
	due   bool
	over  bool
}

// progress returns a progress for people: without a terminal it is silent.
func (p *Process) progress() *progress {
	if !terminal(p.Stderr) {
		return &progress{}
	}
	return newProgress(p.Stderr, soon)
}

func newProgress(out io.Writer, after time.Duration) *progress {
	g := &progress{out: out}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.timer = time.AfterFunc(after, func() { g.wake(time.Now()) })
	return g
}

// wake prints the step if that was not done before, and else how long it has taken.
func (g *progress) wake(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.due = true
	if g.told && !g.over {
		fmt.Fprintf(g.out, "%s, for %s so far\n", g.step, now.Sub(g.since).Round(time.Second))
	}
	g.tell()
	if !g.over {
		g.timer.Reset(still)
	}
}

// say says which step is next.
func (g *progress) say(format string, args ...any) {
	if g.out == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.since, g.told = time.Now(), false
	args = slices.Clone(args)
	for i := range args {
		if l, is := args[i].(figure.Left); is {
			args[i] = g.left(l)
		}
	}
	g.step = fmt.Sprintf(format, args...)
	g.tell()
}

// left estimates how long the rest of a job takes, from how long it has taken so far. The caller holds the lock.
func (g *progress) left(l figure.Left) string {
	switch l.Done {
	case 0:
		g.began = g.since
		return ""
	case l.All:
		return ""
	}
	rest := g.since.Sub(g.began) / time.Duration(l.Done) * time.Duration(l.All-l.Done)
	return fmt.Sprintf(", about %s left", rest.Round(time.Second))
}

// tell writes the step, once. The caller holds the lock.
func (g *progress) tell() {
	if g.due && !g.over && !g.told && g.step != "" {
		fmt.Fprintln(g.out, g.step)
		g.told = true
	}
}

// stop ends the progress messages. Later output does not mix with them.
func (g *progress) stop() {
	if g.out == nil {
		return
	}
	g.timer.Stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
}
