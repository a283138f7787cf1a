package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

const explainLong = `Print every setting of a pool, and where it came from, what follows from the settings, and the
files and functions that are generated.

A first argument with a dot or a slash is the pool file, by default the poolgen.yaml here or above.
Without a name it explains all pools of the file. With --format json it prints one object on a line
for each value, file and so on; the other formats are for findings of the pool file alone.

Only the Go compiler knows the sizes of your types, and poolgen does without them. With --types it
asks the compiler, for the machine that go env names, and tells what an item takes, what is wasted,
and how many items fit in a chunk and within the limit. Of a type that holds pointers, which no pool
may, it says so on standard error.

With --code it compiles the generated package, as it would be after poolgen generate, and tells how
many bytes of machine code the pool has for itself, and its suballocator, which all pools with the
same parameters share. These are bytes before linking: a program has no functions that it does not
call. The fast path is what Alloc and Free, and their like for streams, run while there is room and
nothing is wrong: these methods with all that is compiled into them, and the functions that they
call in turn, except those that are kept apart for everything else. Measuring takes a second, or
several if the go command has to compile the runtime first.

A pool is made of templates, which are Go packages of poolgen's: a shell over one or more cores and a
memory, and what these share. With --templates it tells which they are, the values of their
parameters, the keys that decide these, and how many lines are left when poolgen has taken out what
the values rule out. With the name of one of them behind the pool's it prints these lines and nothing
else, as a text archive: all its files, before poolgen links and renames what they declare.

Given the code of a finding, such as PG014, it tells what the rule is, with a pool file (Go code,
for the rules of poolgen vet) that breaks it, and the same corrected, as text or JSON.`

// explainOptions are the flags of explain.
type explainOptions struct {
	code      bool
	types     bool
	templates bool
	format    *format
}

func (p *Process) explainCommand() *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:     "explain [FILE] [NAME [TEMPLATE]] | CODE",
		Short:   "Print every setting of a pool and where it came from, or what a finding means",
		Long:    explainLong,
		Example: "  poolgen explain Vertex\n  poolgen explain scene/poolgen.yaml Vertex --types --code\n  poolgen explain Vertex --templates fixed\n  poolgen explain PG014",
		Args:    explainArgs(&o),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			switch file, args := fileFirst(args); {
			case len(args) == 0:
				return append(p.completePools(file), codes()...), cobra.ShellCompDirectiveDefault
			case len(args) == 1 && o.templates:
				return p.completeTemplates(file, args[0]), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&o.types, "types", false, "load the types of items, and tell their sizes and what follows from them")
	cmd.Flags().BoolVar(&o.templates, "templates", false, "tell what templates a pool is made of, or what is left of one of them")
	cmd.Flags().BoolVar(&o.code, "code", false, "compile the pools, and tell how much machine code they are")
	o.format = formatFlag(cmd, "the output", diagnosticFormats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if name := first(args); codeForm.MatchString(name) {
			return p.explainCode(name, o.format.value)
		}
		file, args := fileFirst(args)
		return p.explainPools(cmd.Context(), file, args, o)
	}
	return cmd
}

// codeForm tells codes from names of pools, which begin with a letter as well.
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
	switch format {
	case textFormat:
	case jsonFormat:
		return p.encode(explainedCode{info.Code, info.Title, info.Help, info.GoFile, info.Bad, info.Good})
	default:
		return fmt.Errorf("explain %s writes text or json: --format %s is for findings", info.Code, format)
	}
	fmt.Fprintf(p.Stdout, "%s: %s\n\n%s\n", info.Code, info.Title, strings.TrimSpace(info.Help))
	for _, example := range []struct{ title, text string }{
		{"beside this file in the output directory", info.GoFile}, {"before", info.Bad}, {"after", info.Good},
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
	GoFile string    `json:"folder,omitempty"` // a Go file that lies beside the pool file
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

func (p *Process) explainPools(ctx context.Context, file string, args []string, o explainOptions) error {
	w := p.workspace()
	units, found, err := w.Load(named(file))
	if err != nil {
		return err
	}
	if err := p.findings(o.format.value, found); err != nil {
		return err
	}
	u := units[0]
	pools, err := u.Pools(first(args))
	if err != nil {
		return err
	}
	if o.format.value != textFormat && o.format.value != jsonFormat {
		return p.write(o.format.value, nil)
	}
	if len(args) > 1 {
		return p.explainTemplate(u, pools, args[1], o.format.value)
	}
	missing, err := w.Compile(ctx, u)
	if err != nil {
		return err
	}
	reports, err := p.reports(ctx, u, pools, o, len(missing) == 0)
	if err != nil {
		return err
	}
	for i, r := range reports {
		if o.format.value == jsonFormat {
			err = p.explainJSON(r)
		} else {
			p.explainText(u, r, i > 0)
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

// reports returns the reports on pools. It adds what the flags demand if the files of the pools can be generated.
func (p *Process) reports(ctx context.Context, u *workspace.Unit, pools []*spec.Pool, o explainOptions, generated bool) (reports []report, err error) {
	var target string
	if o.types && generated {
		if target, err = p.loadTypes(ctx, u); err != nil {
			return nil, err
		}
	}
	if reports, err = reportsOf(u, pools, target); err != nil {
		return nil, err
	}
	if o.templates && generated {
		if err := addTemplates(u, pools, reports); err != nil {
			return nil, err
		}
	}
	if o.code && generated {
		p.measureCode(ctx, u, reports)
	}
	return reports, nil
}
