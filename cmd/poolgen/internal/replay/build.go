package replay

import (
	"context"
	"embed"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
	"github.com/poolgen/poolgen/spec"
)

//go:embed harness/main.go harness/part.go harness/play.go harness/pool.go harness/run.go harness/tape.go harness/driver/driver.go harness/driver/busy.go harness/driver/idle.go
var harnessSource embed.FS

// Program is a compiled replay of the pools of one pool file.
type Program struct{ *program.Program }

// Build compiles pools of a plan for a replay, see [program.Build].
func Build(ctx context.Context, gocmd gomod.Go, cwd, temp string, changes emit.Changes, plan *spec.Plan, pools []spec.Pool) (*Program, error) {
	harness := program.Files(harnessSource, "harness")
	for name := range harness {
		if strings.HasPrefix(name, "driver/") && !program.AnyDriver(pools) { // the driver's part takes long to compile
			delete(harness, name)
		}
	}
	p, err := program.Build(ctx, gocmd, cwd, temp, changes, program.Addition{
		Name: "zz_poolgen_replay", Harness: harness, Path: gomod.Path + "/cmd/poolgen/internal/replay/harness",
		Adapter: func(packageName, harnessPath string) []byte { return adapter(packageName, harnessPath, plan, pools) },
	})
	return &Program{p}, err
}
