package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/tune"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

// tuner generates, builds and replays candidates.
type tuner struct {
	p        *Process
	progress *progress
}

// measure tries candidates on traces. Those that are no legal pool get no rows. They take turns, so that what else the machine does meanwhile is nobody's
// loss alone, and the quickest turn of each counts.
func (t *tuner) measure(ctx context.Context, list []tune.Candidate, traces []*replay.Trace, turns int) ([]tune.Trial, error) {
	temp, err := os.MkdirTemp("", "poolgen-tune-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	var text strings.Builder
	text.WriteString("version: 1\npackage: tuned\ndefaults: {package_functions: false}\npools:\n")
	trials := make([]tune.Trial, len(list))
	var legal []int
	for i, c := range list {
		trials[i].Candidate = c
		if isLegal(c) {
			text.WriteString(c.YAML(tunedName(i)))
			legal = append(legal, i)
		}
	}
	if len(legal) == 0 {
		return trials, nil
	}
	t.progress.say("generate and build %d pools", len(legal))
	program, err := t.build(ctx, filepath.Join(temp, "pools"), text.String(), temp)
	if err != nil {
		return nil, err
	}
	for turn := range turns {
		for n, i := range legal {
			t.progress.say("turn %d of %d, pool %d of %d: %s", turn+1, turns, n+1, len(legal), list[i])
			rows, err := replayAll(ctx, program, tunedName(i), traces)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", list[i], err)
			}
			trials[i].Rows = quicker(trials[i].Rows, rows)
		}
	}
	return trials, nil
}

// replayAll runs traces through a pool, up to the first that it does not serve: it is of no use then, whatever the others say.
func replayAll(ctx context.Context, program *replay.Program, pool string, traces []*replay.Trace) (rows []replay.Row, err error) {
	for _, trace := range traces {
		row, err := program.Run(ctx, pool, trace, replay.Options{Runs: 1, Goroutines: 1})
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
		if row.Skipped != "" || row.Failures > 0 {
			break
		}
	}
	return rows, nil
}

// quicker takes of two turns the one that took less time, trace by trace: all else in them is the same.
func quicker(a, b []replay.Row) []replay.Row {
	for i := range min(len(a), len(b)) {
		if a[i].NSPerOp < b[i].NSPerOp {
			b[i] = a[i]
		}
	}
	return b
}

func tunedName(i int) string { return fmt.Sprintf("Tuned%d", i) }

// isLegal reports whether the language has such a pool.
func isLegal(c tune.Candidate) bool {
	doc, found := spec.Load("tuned.yaml", []byte(tunedFile(c)))
	if doc == nil || len(found) > 0 {
		return false
	}
	_, found = doc.Validate(spec.Env{Folder: "tuned"})
	return len(found) == 0
}

// tunedFile is a pool file with one candidate.
func tunedFile(c tune.Candidate) string {
	return "# Traces know neither the pool's name nor its limit: put in yours.\nversion: 1\npools:\n" + c.YAML("Tuned")
}

// build compiles the pools of a pool file that is nowhere but in dir.
func (t *tuner) build(ctx context.Context, dir, text, temp string) (*replay.Program, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	w := t.p.workspace()
	u, found, err := w.Parse(filepath.Join(dir, workspace.PoolFile), []byte(text), "")
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		u.Plan = replay.Unwaiting(u.Plan)
		found = w.Compile(u)
	}
	if len(found) > 0 {
		return nil, fmt.Errorf("candidates cannot be generated together: this is a fault of poolgen\n%s", found.Text(false))
	}
	if err := t.p.compare(u); err != nil {
		return nil, err
	}
	return replay.Build(ctx, t.p.gocmdFor(u.Plan.Pools), t.p.Dir, temp, u.Changes, u.Plan, u.Plan.Pools)
}
