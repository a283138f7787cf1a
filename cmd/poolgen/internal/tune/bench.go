package tune

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/spec"
)

// Bench generates, builds and replays candidates.
type Bench struct {
	Workspace *workspace.Workspace
	Go        func(pools []spec.Pool) gomod.Go // that pools are built with
	Say       func(format string, args ...any) // announces each step, with the arguments of fmt.Printf
}

// Measure tries candidates on traces. Candidates that are not legal pools get no rows. Candidates take turns, because other load on the machine must
// not slow down only one of them, and the quickest turn of each counts. It calls done, if that is not nil, with each candidate after its last turn.
// Nothing remains on disk.
func (b *Bench) Measure(ctx context.Context, list []Candidate, traces []*replay.Trace, turns int, done func(Trial) error) ([]Trial, error) {
	temp, err := os.MkdirTemp("", "poolgen-tune-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	var text strings.Builder
	text.WriteString("version: 1\npackage: tuned\ndefaults: {package_functions: false}\npools:\n")
	trials := make([]Trial, len(list))
	var legal []int
	for i, c := range list {
		trials[i].Candidate = c
		if c.legal() {
			text.WriteString(c.YAML(tunedName(i)))
			legal = append(legal, i)
		}
	}
	if len(legal) == 0 {
		return trials, nil
	}
	b.Say("generate and build %s", figure.Count(int64(len(legal)), "pool"))
	program, err := b.build(ctx, filepath.Join(temp, "pools"), text.String(), temp)
	if err != nil {
		return nil, err
	}
	for turn := range turns {
		for n, i := range legal {
			left := figure.Left{Done: turn*len(legal) + n, All: turns * len(legal)}
			b.Say("turn %d of %d, pool %d of %d%v: %s", turn+1, turns, n+1, len(legal), left, list[i])
			rows, err := replayAll(ctx, program, tunedName(i), traces)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", list[i], err)
			}
			trials[i].Rows = quicker(trials[i].Rows, rows)
			if done == nil || turn < turns-1 {
				continue
			}
			if err := done(trials[i]); err != nil {
				return nil, err
			}
		}
	}
	return trials, nil
}

func tunedName(i int) string { return fmt.Sprintf("Tuned%d", i) }

// build compiles the pools of a pool file that exists only in dir.
func (b *Bench) build(ctx context.Context, dir, text, temp string) (*replay.Program, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	u, err := b.generate(ctx, dir, text)
	if err != nil {
		return nil, err
	}
	found, err := b.Workspace.Compare(ctx, u)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		return nil, errTogether(found)
	}
	return replay.Build(ctx, b.Go(u.Plan.Pools), b.Workspace.Dir, temp, u.Changes, u.Plan, u.Plan.Pools)
}

// generate compiles a pool file in memory.
func (b *Bench) generate(ctx context.Context, dir, text string) (*workspace.Unit, error) {
	u, found, err := b.Workspace.Parse(filepath.Join(dir, workspace.PoolFile), []byte(text), "")
	if err == nil && len(found) == 0 {
		u.Plan = replay.Unwaiting(u.Plan)
		found, err = b.Workspace.Compile(ctx, u)
	}
	if err == nil && len(found) > 0 {
		err = errTogether(found)
	}
	return u, err
}

// errTogether is the error for legal candidates that cannot be generated.
func errTogether(found spec.Diagnostics) error {
	return fmt.Errorf("candidates cannot be generated together: this is a fault of poolgen\n%s", found.Text(false))
}

// replayAll runs traces through a pool, up to the first that the pool does not serve, which rules the candidate out.
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

// quicker returns, trace by trace, the faster of two turns. Everything else in them is the same.
func quicker(a, b []replay.Row) []replay.Row {
	for i := range min(len(a), len(b)) {
		if a[i].NSPerOp < b[i].NSPerOp {
			b[i] = a[i]
		}
	}
	return b
}
