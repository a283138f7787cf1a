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
	seen := ""
	for {
		if now := states(paths); now != seen {
			seen = now
			p.exit(run(shown)) // prints what went wrong
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchEvery):
		}
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
