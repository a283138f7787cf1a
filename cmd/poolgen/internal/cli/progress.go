package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// soon is how long a command may take before it prints its steps.
const soon = time.Second

// progress prints the steps of a command, one a line, once the command has run for a while: the current step, and those that follow.
type progress struct {
	out   io.Writer // nil: no output
	timer *time.Timer

	mu   sync.Mutex
	step string // the current step, not printed so far
	due  bool
	over bool
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
	g.timer = time.AfterFunc(after, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.due = true
		g.tell()
	})
	return g
}

// say says which step is next.
func (g *progress) say(format string, args ...any) {
	if g.out == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.step = fmt.Sprintf(format, args...)
	g.tell()
}

// tell writes the step, once. The caller holds the lock.
func (g *progress) tell() {
	if g.due && !g.over && g.step != "" {
		fmt.Fprintln(g.out, g.step)
		g.step = ""
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
