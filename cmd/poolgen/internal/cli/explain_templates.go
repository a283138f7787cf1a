package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

// explainArgs accepts a pool file and a name, and with --templates the name of a template after that of a pool.
func explainArgs(o *explainOptions) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		_, names := fileFirst(args)
		most := 1 + len(args) - len(names)
		if o.templates && !codeForm.MatchString(first(args)) {
			most++
		}
		return atMost(most)(cmd, args)
	}
}

// fileFirst splits a pool file off arguments that begin with one. Names of pools and codes of findings have no dots and slashes.
func fileFirst(args []string) (file string, names []string) {
	if strings.ContainsAny(first(args), "./\\") {
		return args[0], args[1:]
	}
	return "", args
}

// addTemplates adds the templates of the pools to their reports.
func addTemplates(u *workspace.Unit, pools []*spec.Pool, reports []report) error {
	lists, err := lower.Templates(u.Plan, pools)
	if err != nil {
		return err
	}
	for i, list := range lists {
		reports[i].templates = list
	}
	return nil
}

// explainTemplates prints which templates a pool is made of, with their parameters.
func (p *Process) explainTemplates(r report) {
	fmt.Fprintln(p.Stdout, "\ntemplates")
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, t := range r.templates {
		fmt.Fprintf(w, "  %s\t%s\t%d of %d lines are left\n", t.Name, t.Role, t.Left, t.Lines)
		for _, param := range t.Params {
			fmt.Fprintf(w, "    %s\t%s\t%s\n", param.Name, shortened(param.Value), decidedBy(param))
		}
	}
	w.Flush()
}

// longestValue is how many characters of a value the text shows. JSON has all of them.
const longestValue = 48

// shortened truncates a value that is long, or has several lines.
func shortened(value string) string {
	head, _, more := strings.Cut(value, "\n")
	if len(head) > longestValue {
		head, more = head[:longestValue], true
	}
	if more {
		head += " ..."
	}
	return head
}

// decidedBy names the keys of the pool file that decide a parameter.
func decidedBy(param lower.Param) string {
	if len(param.Keys) == 0 {
		return string(spec.Derived)
	}
	return strings.Join(param.Keys, ", ")
}

// explainTemplate prints what is left of a template of a pool, and nothing else. pools has that pool alone.
func (p *Process) explainTemplate(u *workspace.Unit, pools []*spec.Pool, name, format string) error {
	lists, err := lower.Templates(u.Plan, pools)
	if err != nil {
		return err
	}
	var names []string
	for _, t := range lists[0] {
		if t.Name == name {
			return p.explainLeft(pools[0].Name, t, format)
		}
		names = append(names, t.Name)
	}
	return fmt.Errorf("pool %s has no template %q; it has %s", pools[0].Name, name, strings.Join(names, ", "))
}

// explainLeft prints the files of a template, as a text archive or as JSON.
func (p *Process) explainLeft(pool string, t lower.Template, format string) error {
	for _, file := range slices.Sorted(maps.Keys(t.Files)) {
		text := t.Files[file]
		if format == textFormat {
			fmt.Fprintf(p.Stdout, "-- %s/%s --\n%s", t.Name, file, text)
			continue
		}
		if err := p.encode(explained{Pool: pool, Key: "residual", Value: t.Name + "/" + file, From: t.Role, Lines: strings.Count(text, "\n"), Text: text}); err != nil {
			return err
		}
	}
	return nil
}

// templateRows are the lines on templates and their parameters.
func (r report) templateRows() (list []explained) {
	for _, t := range r.templates {
		list = append(list, explained{Key: "template", Value: t.Name, From: t.Role, Lines: t.Left, Of: t.Lines})
		for _, param := range t.Params {
			list = append(list, explained{Key: t.Name + "." + param.Name, Value: param.Value, From: decidedBy(param)})
		}
	}
	return list
}
