package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
)

const generateLong = `generate writes the Go code of the pools of each pool file, by default of the poolgen.yaml in this folder or the
nearest one above, up to go.mod.

It works all or nothing: if any file has a finding, nothing is written. Files that are as they should be are not touched.
Files that poolgen generated from the same pool file before and that are no longer wanted are removed. A file that poolgen did not
generate is never replaced.`

func (p *Process) generateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "generate [FILE...]",
		Short:             "Write the Go code of pool files",
		Long:              generateLong,
		Example:           "  poolgen generate\n  poolgen generate scene/poolgen.yaml audio/poolgen.yaml",
		ValidArgsFunction: completeFiles,
	}
	format := formatFlag(cmd, diagnosticFormats...)
	watch := cmd.Flags().Bool("watch", false, "stay, and generate again whenever a pool file changes")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		run := func() error { return p.generate(args, format.value) }
		if *watch {
			return p.watch(cmd.Context(), args, run)
		}
		return run()
	}
	return cmd
}

func (p *Process) generate(names []string, format string) error {
	units, err := p.build(names, format)
	if err != nil {
		return err
	}
	if err := compare(units); err != nil {
		return err
	}
	var sets []emit.Changes
	for _, u := range units {
		sets = append(sets, u.changes)
	}
	if err := emit.Apply(sets...); err != nil {
		return err
	}
	if format != textFormat {
		return p.write(format, nil)
	}
	for _, u := range units {
		fmt.Fprintln(p.Stdout, p.summary(u))
	}
	return nil
}

// build takes pool files through the compiler, up to the generated text. Findings are written in the format, and
// end the command.
func (p *Process) build(names []string, format string) ([]*unit, error) {
	paths, err := p.poolFiles(names)
	if err != nil {
		return nil, err
	}
	units, found, err := p.load(paths)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		found = p.compile(units)
	}
	return units, p.findings(format, found)
}

// summary says what generate did for one pool file.
func (p *Process) summary(u *unit) string {
	c := u.changes
	return fmt.Sprintf("%s: %d written, %d unchanged, %d removed in %s",
		u.name, c.Count(emit.Stale)+c.Count(emit.Missing), c.Count(emit.Unchanged), c.Count(emit.Orphaned), p.shown(c.Folder.String()))
}
