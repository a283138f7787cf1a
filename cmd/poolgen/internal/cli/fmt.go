package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/spec"
)

const fmtLong = `Rewrite pool files in the canonical form: keys in the order of the reference, two spaces for
each level, no quotes where none are needed, one blank line at most. What a file means does not
change, comments stay with what they stand in front of or beside, and all lines end as the first.

The names of the files that were rewritten go to standard output. With --check nothing is written,
and the exit code is 1 if there are any; with --diff, standard output is a patch instead. For
editors, - formats standard input to standard output.

A file with mistakes is formatted as well, as long as it can be read.`

func (p *Process) fmtCommand() *cobra.Command {
	var check, diff bool
	cmd := &cobra.Command{
		Use:               "fmt [FILE...]",
		Short:             "Rewrite pool files in the canonical form",
		Long:              fmtLong,
		Example:           "  poolgen fmt\n  poolgen fmt --check scene/poolgen.yaml audio/poolgen.yaml\n  poolgen fmt - <poolgen.yaml",
		ValidArgsFunction: completeFiles,
	}
	format := formatFlag(cmd, "findings", diagnosticFormats...)
	cmd.Flags().BoolVar(&check, "check", false, "write nothing, list what would be rewritten")
	cmd.Flags().BoolVar(&diff, "diff", false, "write nothing, print a patch")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] == "-" {
			if check || diff {
				return errors.New("--check and --diff are for files, and - formats standard input: leave one of them out")
			}
			return p.formatInput(cmd.Context(), format.value)
		}
		files, err := p.workspace().Find(args)
		if err != nil {
			return err
		}
		changes, err := p.formatted(files, format.value)
		if err != nil {
			return err
		}
		for _, c := range changes {
			switch {
			case diff:
				_, err = p.Stdout.Write(emit.Patch(p.shown(c.file), c.Change))
			case check:
				_, err = fmt.Fprintln(p.Stdout, p.shown(c.file))
			default:
				err = p.rewrite(c)
			}
			if err != nil {
				return err
			}
		}
		if (check || diff) && len(changes) > 0 {
			return status(ExitFindings)
		}
		return nil
	}
	return cmd
}

// reformatted is a file that is not in its canonical form.
type reformatted struct {
	file string
	emit.Change
}

// formatted formats files, all or none, and returns those that change. It reports files that cannot be parsed.
func (p *Process) formatted(files []string, format string) (changes []reformatted, err error) {
	var found spec.Diagnostics
	for _, file := range files {
		src, err := p.workspace().Read(file)
		if err != nil {
			return nil, err
		}
		out, bad := spec.Format(p.shown(file), src)
		found = append(found, bad...)
		if len(bad) == 0 && !bytes.Equal(src, out) {
			changes = append(changes, reformatted{file, emit.Change{Name: filepath.Base(file), Kind: emit.Stale, Old: src, New: out}})
		}
	}
	return changes, p.findings(format, found)
}

// rewrite puts a file into its canonical form and prints its name.
func (p *Process) rewrite(c reformatted) error {
	err := p.saveText(c.file, string(c.New))
	if err == nil {
		_, err = fmt.Fprintln(p.Stdout, p.shown(c.file))
	}
	return err
}

// formatInput formats standard input to standard output.
func (p *Process) formatInput(ctx context.Context, format string) error {
	src, err := until(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(p.Stdin, spec.MaxFileBytes+1)) })
	if err != nil {
		return err
	}
	out, found := spec.Format("standard input", src)
	if len(found) > 0 {
		return p.findings(format, found)
	}
	_, err = p.Stdout.Write(out)
	return err
}
