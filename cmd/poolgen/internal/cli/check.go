package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

const checkLong = `Compare the generated files with what generate would write, and write nothing. Where they have
drifted apart, list them and exit with 1.

  stale     the file has other content
  missing   the file is not there
  orphaned  the file was generated before, and generate would remove it: see poolgen help generate

With --diff, standard output is a patch that brings the files up to date, and the list goes to
standard error.`

func (p *Process) checkCommand() *cobra.Command {
	var diff bool
	cmd := &cobra.Command{
		Use:               "check [FILE...]",
		SuggestFor:        []string{"lint", "validate", "verify"},
		Short:             "Check that generated files are up to date",
		Long:              checkLong,
		Example:           "  poolgen check\n  poolgen check --diff | patch -p1",
		ValidArgsFunction: completeFiles,
	}
	format := formatFlag(cmd, "findings", diagnosticFormats...)
	cmd.Flags().BoolVar(&diff, "diff", false, "print a patch")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if diff && format.value != textFormat {
			return fmt.Errorf("--diff is a format of its own: leave out --format %s", format)
		}
		units, err := p.build(cmd.Context(), args, format.value)
		if err != nil {
			return err
		}
		list := p.Stdout
		if diff {
			list = p.Stderr
			if err := p.patch(units); err != nil {
				return err
			}
		}
		return p.drift(list, format.value, units, runGenerate(args))
	}
	return cmd
}

// drift lists the files that are not as generated. remedy says what to run.
func (p *Process) drift(list io.Writer, format string, units []*workspace.Unit, remedy string) error {
	var found spec.Diagnostics
	for _, u := range units {
		for _, set := range u.Sets() {
			for _, change := range set.Drift() {
				found = append(found, spec.Diagnostic{
					Code: spec.Code(change.Kind), File: p.shown(filepath.Join(set.Dir.String(), change.Name)),
					Pos: spec.Position{Line: 1, Column: 1}, End: spec.Position{Line: 1, Column: 2}, // the formats require a place
					Message: fmt.Sprintf(driftText[change.Kind], u.Name), Help: remedy,
				})
			}
		}
	}
	if format != textFormat {
		if err := p.write(format, found); err != nil {
			return err
		}
	} else {
		for _, d := range found {
			fmt.Fprintf(list, "%-8s  %s\n", d.Code, d.File)
		}
	}
	if len(found) == 0 {
		return nil
	}
	if format == textFormat {
		fmt.Fprintf(p.Stderr, "poolgen: %s drifted; %s\n", drifted(len(found)), remedy)
	}
	return status(ExitFindings)
}

// runGenerate is the remedy for pool files that were named on the command line.
func runGenerate(files []string) string {
	return strings.Join(append([]string{"run poolgen generate"}, files...), " ")
}

// drifted returns the start of the sentence about drifted files.
func drifted(n int) string {
	if n == 1 {
		return "1 of the generated files has"
	}
	return fmt.Sprintf("%d of the generated files have", n)
}

// driftText describes each kind of drift; %s is the pool file.
var driftText = map[emit.Kind]string{
	emit.Stale:    "stale: not what %s generates",
	emit.Missing:  "missing: %s generates it",
	emit.Orphaned: "orphaned: %s no longer generates it",
}

// patch prints the drift of all units as one patch.
func (p *Process) patch(units []*workspace.Unit) error {
	for _, u := range units {
		for _, set := range u.Sets() {
			for _, change := range set.Files {
				path := p.shown(filepath.Join(set.Dir.String(), change.Name))
				if _, err := p.Stdout.Write(emit.Patch(path, change)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
