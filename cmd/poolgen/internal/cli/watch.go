package cli

import (
	"context"
	"fmt"
	"os"
	"time"
)

// watchEvery is how often generate --watch looks at the pool files. Polling works on every file system and
// needs no library; a few calls of stat cost nothing.
const watchEvery = 300 * time.Millisecond

// watch calls run now, and again whenever a pool file has changed, until ctx ends. Findings and errors do not end it.
func (p *Process) watch(ctx context.Context, names []string, run func() error) error {
	paths, err := p.poolFiles(names)
	if err != nil {
		return err
	}
	seen := ""
	for {
		if now := states(paths); now != seen {
			seen = now
			p.exit(run()) // tells what went wrong
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchEvery):
		}
	}
}

// states describes the files so that a change of any of them changes the text.
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
