package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// watchEvery is how often generate --watch looks at the pool files. Polling works on every file system and
// needs no library; a few calls of stat cost nothing.
const watchEvery = 300 * time.Millisecond

// watch prints what it watches, calls run now and again whenever a pool file has changed, until ctx ends. Findings and errors do not end it. run gets
// the names of the files that are watched: while one of them is away, a search would find another file, in a directory above.
func (p *Process) watch(ctx context.Context, names []string, run func(names []string) error) error {
	paths, err := p.workspace().Find(names)
	if err != nil {
		return err
	}
	shown := make([]string, len(paths))
	for i, path := range paths {
		shown[i] = p.shown(path)
	}
	fmt.Fprintf(p.Stderr, "watching %s; interrupt to end\n", strings.Join(shown, ", "))
	wait := func() bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(watchEvery):
			return true
		}
	}
	onChange(wait, func() string { return states(paths) }, func() { p.exit(run(shown)) }) // prints what went wrong
	return nil
}

// onChange calls run now, and again when what look returns has changed, until wait returns false. It waits until
// two looks in a row agree: an editor may be halfway through a file, and half a file means other pools.
func onChange(wait func() bool, look func() string, run func()) {
	done := look()
	run()
	for last := done; wait(); {
		now := look()
		if now == last && now != done {
			done = now
			run()
		}
		last = now
	}
}

// states returns a text that changes when any of the files changes.
func states(paths []string) string {
	text := ""
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			text += fmt.Sprintln(info.Size(), info.ModTime().UnixNano())
		} else {
			text += fmt.Sprintln("missing") // editors replace files in two steps
		}
	}
	return text
}
