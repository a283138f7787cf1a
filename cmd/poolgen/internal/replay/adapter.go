package replay

import (
	"bytes"
	"context"
	"embed"
	"fmt"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
	"github.com/poolgen/poolgen/spec"
)

//go:embed harness/main.go harness/run.go harness/tape.go
var harnessSource embed.FS

// Program is a compiled replay of the pools of one pool file.
type Program struct{ *program.Program }

// Build compiles the pools for a replay, see [program.Build].
func Build(ctx context.Context, gocmd gomod.Go, cwd, temp string, changes emit.Changes, pools []spec.Pool) (*Program, error) {
	p, err := program.Build(ctx, gocmd, cwd, temp, changes, program.Addition{
		Name: "zz_poolgen_replay", Harness: program.Files(harnessSource, "harness"), Path: gomod.Path + "/cmd/poolgen/internal/replay/harness",
		Adapter: func(packageName, harnessPath string) []byte { return adapter(packageName, harnessPath, pools) },
	})
	return &Program{p}, err
}

// adapter returns the source of a test file of the generated package that runs a tape through any of its
// pools. Its code stands inside the package, so that the loops reach the pool as the user's code does.
func adapter(packageName, harnessPath string, pools []spec.Pool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, adapterHead, packageName, harnessPath)
	for _, pool := range pools {
		fmt.Fprintf(&b, "\t\t%q: zzReplay%s,\n", pool.Name, pool.Name)
	}
	b.WriteString("\t}, zzos.Args[1:], zzos.Stderr))\n}\n")
	for _, pool := range pools {
		loop := spanLoop
		if pool.ItemForm() {
			loop = itemLoop
		}
		fmt.Fprintf(&b, loop, pool.Name)
	}
	return b.Bytes()
}

const adapterHead = `package %s

import (
	zzos "os"
	zztesting "testing"

	zzharness %q
)

func TestMain(*zztesting.M) {
	zzos.Exit(zzharness.Main(map[string]zzharness.Loop{
`

const spanLoop = `
func zzReplay%[1]s(tape *zzharness.Tape) (zzharness.Result, error) {
	pool, err := New%[1]sPool()
	if err != nil {
		return zzharness.Result{}, err
	}
	blocks := zzharness.SpanBlocks(tape, pool.Alloc)
	run := zzharness.Start(tape)
	for i, e := range tape.Events {
		if !e.Free {
			if b, err := pool.Alloc(e.Items); err == nil {
				blocks[e.Slot] = b
			} else {
				run.Fail(i, err)
			}
		} else if b := blocks[e.Slot]; b != nil {
			if err := pool.Free(b); err != nil {
				return run.Refuse(i, err)
			}
			blocks[e.Slot] = nil
		}
	}
	run.Stop()
	result := run.Result(pool.Stats().PeakReserved)
	return result, pool.CloseForce()
}
`

const itemLoop = `
func zzReplay%[1]s(tape *zzharness.Tape) (zzharness.Result, error) {
	pool, err := New%[1]sPool()
	if err != nil {
		return zzharness.Result{}, err
	}
	blocks := zzharness.ItemBlocks(tape, pool.Alloc)
	run := zzharness.Start(tape)
	for i, e := range tape.Events {
		if e.Items > 0 {
			if b, err := pool.Alloc(); err == nil {
				blocks[e.Slot] = b
			} else {
				run.Fail(i, err)
			}
		} else if !e.Free {
			run.Fail(i, nil)
		} else if b := blocks[e.Slot]; b != nil {
			if err := pool.Free(b); err != nil {
				return run.Refuse(i, err)
			}
			blocks[e.Slot] = nil
		}
	}
	run.Stop()
	result := run.Result(pool.Stats().PeakReserved)
	return result, pool.CloseForce()
}
`
