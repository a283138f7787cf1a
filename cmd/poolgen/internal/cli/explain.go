package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/spec"
)

const explainLong = `explain tells what a pool comes to: every value and where it came from, what follows from it, and the files and functions that are
generated. Without a name it explains all pools of the pool file. With --format json it prints the values, one object on a line each; the other
formats are for findings of the pool file alone.

Given the code of a finding, such as PG014, it tells what the rule is, with a pool file that breaks it and the same file
corrected.`

func (p *Process) explainCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "explain [NAME | CODE]",
		Short:   "Tell what a pool comes to, or what a finding means",
		Long:    explainLong,
		Example: "  poolgen explain Vertex\n  poolgen explain PG014",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append(p.completePools(file), codes()...), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "pool file (default: poolgen.yaml here or above)")
	format := formatFlag(cmd, diagnosticFormats...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if name := first(args); codeForm.MatchString(name) {
			return p.explainCode(name, format.value)
		}
		return p.explainPools(file, first(args), format.value)
	}
	return cmd
}

// codeForm tells codes from names of pools, which begin with an upper-case letter as well.
var codeForm = regexp.MustCompile(`^(?i:PG)[0-9]{3}$`)

func codes() []cobra.Completion {
	var all []cobra.Completion
	for _, info := range spec.Codes() {
		all = append(all, cobra.CompletionWithDesc(string(info.Code), info.Title))
	}
	return all
}

func (p *Process) explainCode(code, format string) error {
	info, ok := spec.Explanation(code)
	if !ok {
		return fmt.Errorf("there is no finding %s", strings.ToUpper(code))
	}
	if format != textFormat {
		return p.encode(explainedCode{info.Code, info.Title, info.Help, info.Folder, info.Bad, info.Good})
	}
	fmt.Fprintf(p.Stdout, "%s: %s\n\n%s\n", info.Code, info.Title, strings.TrimSpace(info.Help))
	for _, example := range []struct{ title, text string }{
		{"beside this file in the output folder", info.Folder}, {"before", info.Bad}, {"after", info.Good},
	} {
		if example.text != "" {
			fmt.Fprintf(p.Stdout, "\n%s:\n\n%s", example.title, indent(example.text))
		}
	}
	return nil
}

// explainedCode is what explain --format json prints of a code.
type explainedCode struct {
	Code   spec.Code `json:"code"`
	Title  string    `json:"title"`
	Help   string    `json:"help"`
	Folder string    `json:"folder,omitempty"` // a Go file that lies beside the pool file
	Before string    `json:"before"`
	After  string    `json:"after"`
}

func (p *Process) encode(v any) error {
	out := json.NewEncoder(p.Stdout)
	out.SetEscapeHTML(false)
	return out.Encode(v)
}

func indent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	return "    " + strings.Join(lines, "\n    ") + "\n"
}

func (p *Process) explainPools(file, name string, format string) error {
	var names []string
	if file != "" {
		names = []string{file}
	}
	paths, err := p.poolFiles(names)
	if err != nil {
		return err
	}
	units, found, err := p.load(paths)
	if err != nil {
		return err
	}
	if err := p.findings(format, found); err != nil {
		return err
	}
	u := units[0]
	pools, err := u.pools(name)
	if err != nil {
		return err
	}
	if format != textFormat && format != "json" {
		return p.write(format, nil)
	}
	missing := p.compile(units)
	for i, pool := range pools {
		if format == "json" {
			err = p.explainJSON(u, pool)
		} else {
			err = p.explainPool(u, pool, i > 0, len(missing) == 0)
		}
		if err != nil {
			return err
		}
	}
	for _, d := range missing {
		p.note("nothing is generated: %v", d)
	}
	return nil
}

// pools returns the pool of the given name, or all pools for "".
func (u *unit) pools(name string) ([]*spec.Pool, error) {
	var pools []*spec.Pool
	var all []string
	for i := range u.plan.Pools {
		pool := &u.plan.Pools[i]
		all = append(all, pool.Name)
		if name == "" || name == pool.Name {
			pools = append(pools, pool)
		}
	}
	if len(pools) == 0 {
		return nil, fmt.Errorf("%s has no pool %q; it has %s", u.name, name, strings.Join(all, ", "))
	}
	return pools, nil
}

func (p *Process) explainPool(u *unit, pool *spec.Pool, gap, generated bool) error {
	if gap {
		fmt.Fprintln(p.Stdout)
	}
	p.explainValues(u, pool)
	if !generated {
		return nil
	}
	return p.explainOutput(u, pool)
}

// explainValues prints every value of a pool, where it came from, and what follows from it.
func (p *Process) explainValues(u *unit, pool *spec.Pool) {
	fmt.Fprintf(p.Stdout, "pool %s (%s:%d)\n", pool.Name, u.name, pool.Pos.Line)
	if pool.Doc != "" {
		fmt.Fprintf(p.Stdout, "%s\n", pool.Doc)
	}
	fmt.Fprintln(p.Stdout)
	rows, _ := spec.Explain(u.plan, pool.Name)
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		if r.Note != "" {
			r.From += ": " + r.Note
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", r.Key, r.Text, r.From)
	}
	w.Flush()
}

// explained is one line of explain --format json.
type explained struct {
	Pool  string `json:"pool"`
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
	Note  string `json:"note,omitempty"`
}

func (p *Process) explainJSON(u *unit, pool *spec.Pool) error {
	rows, _ := spec.Explain(u.plan, pool.Name)
	for _, r := range rows {
		if err := p.encode(explained{pool.Name, r.Key, r.Text, r.From, r.Note}); err != nil {
			return err
		}
	}
	return nil
}

// explainOutput prints what is generated for a pool.
func (p *Process) explainOutput(u *unit, pool *spec.Pool) error {
	o, err := outlineOf(pool.Name, u.files)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "\ngenerated in %s\n", p.shown(filepath.Join(u.dir, filepath.FromSlash(u.plan.Output))))
	for _, name := range o.files {
		fmt.Fprintf(p.Stdout, "  %-30s  %d bytes\n", name, len(u.files[name]))
	}
	fmt.Fprintln(p.Stdout, "\nfunctions")
	for _, f := range o.functions {
		fmt.Fprintf(p.Stdout, "  %s\n", strings.TrimPrefix(f, "func "))
	}
	return nil
}
