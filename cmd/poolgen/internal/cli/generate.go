package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

const generateLong = `Write the Go code of the pools of each pool file, by default of the poolgen.yaml in this
directory or the nearest one above, up to go.mod.

It works all or nothing: if any file has a finding, nothing is written. Files that are as they
should be are not touched. A file that poolgen did not generate is never replaced or removed. A file
that is replaced keeps its permissions.

Orphans are removed: files that poolgen generated before and that are no longer wanted. They are
named as generated files are. The first line of a generated file names its pool file, and an orphan
is one that names

  - this pool file, wherever the orphan lies below its directory, as pools and output directories may
    change;
  - a pool file that was in the same directory and is gone: it was renamed, or removed.

They are looked for where the go command looks for packages: not in vendor, testdata, other modules,
and directories whose names begin with a dot or an underscore.`

func (p *Process) generateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "generate [FILE...]",
		SuggestFor:        []string{"build", "compile"},
		Short:             "Write the Go code of pool files",
		Long:              generateLong,
		Example:           "  poolgen generate\n  poolgen generate scene/poolgen.yaml audio/poolgen.yaml",
		ValidArgsFunction: completeFiles,
	}
	format := formatFlag(cmd, "findings", diagnosticFormats...)
	watch := cmd.Flags().Bool("watch", false, "stay, and generate again whenever a pool file has changed and stays so for a moment")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		run := func(names []string) error { return p.generate(cmd.Context(), names, format.value) }
		if *watch {
			return p.watch(cmd.Context(), args, run)
		}
		return run(args)
	}
	return cmd
}

func (p *Process) generate(ctx context.Context, names []string, format string) error {
	units, err := p.build(ctx, names, format)
	if err != nil {
		return err
	}
	var sets []emit.Changes
	for _, u := range units {
		for _, c := range u.Sets() {
			sets = append(sets, *c)
		}
	}
	progress := p.progress()
	progress.say("write the files")
	err = emit.Apply(ctx, sets...)
	progress.stop()
	if err != nil {
		return err
	}
	if format != textFormat {
		return p.write(format, nil)
	}
	for _, u := range units {
		fmt.Fprintln(p.Stdout, p.summary(u))
		p.noteUnmatched(u)
	}
	return nil
}

// noteUnmatched notes an output that go build ./... and go test ./... leave out.
func (p *Process) noteUnmatched(u *workspace.Unit) {
	if name := spec.Unmatched(u.Plan.Output); name != "" {
		p.note("%s: output %s: ./... does not match packages in directories named %s; name the package to build and test it", u.Name, u.Plan.Output, name)
	}
}

// summary describes what generate did for one pool file, a line for each directory.
func (p *Process) summary(u *workspace.Unit) string {
	c := u.Changes
	text := fmt.Sprintf("%s: %d written, %d unchanged, %d removed in %s",
		u.Name, c.Count(emit.Stale)+c.Count(emit.Missing), c.Count(emit.Unchanged), c.Count(emit.Orphaned), p.shown(c.Dir.String()))
	for _, c := range u.Strays {
		if n := c.Count(emit.Orphaned); n > 0 {
			text += fmt.Sprintf("\n%s: %d removed in %s", u.Name, n, p.shown(c.Dir.String()))
		}
	}
	return text
}
