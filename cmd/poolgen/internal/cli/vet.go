package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/findings"
)

const vetLong = `Look for mistakes in Go code that uses pools: blocks that are never freed, used after they were
freed, or freed to another pool, and more; poolgen explain tells what each code means. Packages are
named as for the go command, which builds them: code that does not compile is not looked at. Build
flags are taken from GOFLAGS, too.

It runs go vet with poolgen as its tool, which works on its own as well, in the build cache and with
all flags of go vet:

  go vet -vettool=$(go tool -n poolgen) ./...

or with -vettool=$(which poolgen), if go install has installed it.

A comment at the end of the line, or on the line before, silences a finding there:

  FreeVertex(v) //poolgen:ignore PG106 the process ends here`

func (p *Process) vetCommand() *cobra.Command {
	var fix bool
	var tags string
	cmd := &cobra.Command{
		Use:        "vet [PACKAGES]",
		SuggestFor: []string{"lint"},
		Short:      "Look for mistakes in Go code that uses pools",
		Long:       vetLong,
		Example:    "  poolgen vet ./...\n  poolgen vet --fix ./...\n  poolgen vet --format github ./...",
	}
	format := formatFlag(cmd, "findings", diagnosticFormats...)
	cmd.Flags().BoolVar(&fix, "fix", false, "apply the corrections that are certain, and report the rest")
	cmd.Flags().StringVar(&tags, "tags", "", "build tags, separated by commas")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.vet(cmd.Context(), format.value, tags, fix, args)
	}
	return cmd
}

func (p *Process) vet(ctx context.Context, format, tags string, fix bool, packages []string) error {
	progress := p.progress()
	defer progress.stop()
	progress.say("build and look at %s", cmp.Or(strings.Join(packages, " "), "."))
	found, failed, err := p.inspect(ctx, tags, packages)
	if err != nil {
		return err
	}
	if fix {
		files, err := found.Fix(p.saveText)
		for _, name := range files {
			p.complain("poolgen: corrected " + p.shown(name))
		}
		if err != nil {
			return err
		}
		if len(files) > 0 { // lines have moved, and some findings are gone
			if found, failed, err = p.inspect(ctx, tags, packages); err != nil {
				return err
			}
		}
	}
	list := found.Diagnostics(p.shown)
	if len(list) == 0 && format != textFormat {
		if err := p.write(format, nil); err != nil {
			return err
		}
	}
	told := p.findings(format, list)
	if failed != "" { // some packages, but not those with findings
		return fmt.Errorf("some packages could not be looked at\n%s", failed)
	}
	return told
}

// inspect runs go vet. failed is its output about packages that it could not vet.
func (p *Process) inspect(ctx context.Context, tags string, packages []string) (found findings.List, failed string, err error) {
	for _, name := range packages {
		if strings.HasPrefix(name, "-") {
			return found, "", fmt.Errorf("%q is not a package", name)
		}
	}
	if tags != "" { // an empty flag would override the tags in GOFLAGS
		packages = append([]string{"-tags=" + tags}, packages...)
	}
	list, _, err := p.toGo(ctx, append([]string{"list", "-e"}, packages...))
	if err != nil {
		return found, "", err
	}
	text, failed, err := p.toGo(ctx, append([]string{"vet", "-vettool=" + p.Self, "-json"}, packages...))
	if err != nil {
		return found, "", err
	}
	found, err = findings.Read(strings.NewReader(text), strings.Fields(list), os.ReadFile)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, failed)
	}
	return found, failed, err
}

// toGo runs the go command and returns its output, and its error message if it failed.
func (p *Process) toGo(ctx context.Context, args []string) (out, failed string, err error) {
	var stdout, stderr bytes.Buffer
	run := p.gocmd().Stream(ctx, p.Dir, &stdout, &stderr, args...)
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case errors.Is(run, exec.ErrNotFound):
		return "", "", fmt.Errorf("the go command is not in PATH: %w", run)
	case run != nil:
		failed = cmp.Or(strings.TrimSpace(stderr.String()), run.Error())
	}
	return stdout.String(), failed, nil
}
