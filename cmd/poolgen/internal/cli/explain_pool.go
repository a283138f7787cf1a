package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/codesize"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

// report is what explain prints about a pool.
type report struct {
	pool      *spec.Pool
	rows      []spec.Row
	outline   *codesize.Outline // nil if nothing is generated
	code      *codeReport       // nil if it was not requested
	templates []lower.Template  // nil if they were not requested
}

// codeReport is the machine code of a pool.
type codeReport struct {
	codesize.Code
	target string
	err    error // why there are no figures
}

// reportsOf returns the reports on pools. target is the machine that sizes of the user's types are for.
func reportsOf(u *workspace.Unit, pools []*spec.Pool, target string) ([]report, error) {
	outlines, err := codesize.Outlines(u.Files, u.Plan.Pools)
	if err != nil {
		return nil, err
	}
	var list []report
	for _, pool := range pools {
		list = append(list, report{pool: pool, rows: rowsOf(u, pool, target), outline: outlines[pool.Name]})
	}
	return list, nil
}

// measureCode adds the machine code to reports.
func (p *Process) measureCode(ctx context.Context, u *workspace.Unit, reports []report) {
	progress := p.progress()
	defer progress.stop()
	progress.say("compile %s", u.Name)
	outlines := make([]*codesize.Outline, len(reports))
	for i := range reports {
		outlines[i] = reports[i].outline
	}
	var target string
	var code []codesize.Code
	err := p.compare(ctx, u)
	if err == nil {
		target, code, err = codesize.Measure(ctx, p.gocmd(), p.Dir, u.Changes, u.Plan, outlines)
	}
	for i := range reports {
		reports[i].code = &codeReport{target: target, err: err}
		if err == nil {
			reports[i].code.Code = code[i]
		}
	}
}

// explainText prints reports for people.
func (p *Process) explainText(u *workspace.Unit, r report, gap bool) {
	if gap {
		fmt.Fprintln(p.Stdout)
	}
	p.explainValues(u, r)
	if r.outline != nil {
		p.explainFiles(u, r)
	}
	if r.templates != nil {
		p.explainTemplates(r)
	}
	if r.code != nil {
		p.explainMachine(r)
	}
	if r.outline != nil {
		fmt.Fprintln(p.Stdout, "\nfunctions")
		for _, f := range r.outline.Functions {
			fmt.Fprintf(p.Stdout, "  %s\n", strings.TrimPrefix(f, "func "))
		}
	}
}

// explainValues prints every value of a pool, where it came from, and what follows from it.
func (p *Process) explainValues(u *workspace.Unit, r report) {
	fmt.Fprintf(p.Stdout, "pool %s (%s:%d)\n", r.pool.Name, u.Name, r.pool.Pos.Line)
	if r.pool.Doc != "" {
		fmt.Fprintf(p.Stdout, "%s\n", r.pool.Doc)
	}
	fmt.Fprintln(p.Stdout)
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range r.rows {
		if row.Note != "" {
			row.From += ": " + row.Note
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", row.Key, row.Text, row.From)
	}
	w.Flush()
}

// explainFiles prints which files are generated for a pool, that of its suballocator last.
func (p *Process) explainFiles(u *workspace.Unit, r report) {
	fmt.Fprintf(p.Stdout, "\ngenerated in %s\n", p.shown(u.Output().String()))
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, f := range r.files() {
		fmt.Fprintf(w, "  %s\t%d lines, %d bytes%s\n", f.Name, f.Lines, f.Bytes, r.sharers(f))
	}
	if key := r.pool.HeaderKey(); key != "" {
		fmt.Fprintf(w, "  %s\tby %s; its text depends on the Go type, which generate loads\n", lower.FilesOf(r.pool).Header, key)
	}
	w.Flush()
}

// files lists the files of a pool, that of its suballocator last.
func (r report) files() []codesize.File {
	return slices.Concat(r.outline.Files, []codesize.File{r.outline.CoreFile})
}

// sharers names the other pools that share a file, if it is that of the suballocator.
func (r report) sharers(file codesize.File) string {
	if file != r.outline.CoreFile || len(r.outline.With) == 0 {
		return ""
	}
	return ", shared with " + strings.Join(r.outline.With, ", ")
}

// explainMachine prints how much machine code a pool has.
func (p *Process) explainMachine(r report) {
	c := r.code
	if c.err != nil {
		fmt.Fprintf(p.Stdout, "\nmachine code: not measured\n%s", indent(c.err.Error()))
		return
	}
	fmt.Fprintf(p.Stdout, "\nmachine code (%s)\n", c.target)
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  %s\t%d bytes in %d functions\n", r.pool.Name, c.Own.Bytes, c.Own.Functions)
	fmt.Fprintf(w, "  %s\t%d bytes in %d functions%s\n", r.outline.Core, c.Core.Bytes, c.Core.Functions, r.sharers(r.outline.CoreFile))
	w.Flush()
	if c.PathErr != nil {
		fmt.Fprintf(p.Stdout, "fast path: not known\n%s", indent(c.PathErr.Error()))
		return
	}
	total := int64(0)
	for _, f := range c.Path {
		total += f.Bytes
	}
	fmt.Fprintf(p.Stdout, "fast path: %d bytes in %d functions\n", total, len(c.Path))
	for _, f := range c.Path {
		fmt.Fprintf(p.Stdout, "  %6d  %s\n", f.Bytes, f.Symbol)
	}
}

// explained is one line of explain --format json.
type explained struct {
	Pool  string `json:"pool"`
	Key   string `json:"key"` // of the pool file, or what follows from them; file, template, code, fast_path, residual; fixed.single: a parameter
	Value string `json:"value"`
	From  string `json:"from"`
	Note  string `json:"note,omitempty"`

	Bytes      *int64   `json:"bytes,omitempty"`       // of a file; of machine code
	Lines      int      `json:"lines,omitempty"`       // of a file; of what is left of a template
	Of         int      `json:"of,omitempty"`          // lines that the template has
	Functions  int      `json:"functions,omitempty"`   // of machine code
	SharedWith []string `json:"shared_with,omitempty"` // other pools, of a suballocator
	Text       string   `json:"text,omitempty"`        // of a residual
}

// explainJSON prints reports for machines.
func (p *Process) explainJSON(r report) error {
	var list []explained
	for _, row := range r.rows {
		list = append(list, explained{Key: row.Key, Value: row.Text, From: row.From, Note: row.Note})
	}
	if r.outline != nil {
		for _, f := range r.files() {
			e := explained{Key: "file", Value: f.Name, From: "generated", Bytes: sized(int64(f.Bytes)), Lines: f.Lines}
			if f == r.outline.CoreFile {
				e.SharedWith = r.outline.With
			}
			list = append(list, e)
		}
	}
	if r.outline != nil && r.pool.HeaderKey() != "" {
		list = append(list, explained{Key: "file", Value: lower.FilesOf(r.pool).Header, From: "generated", Note: "depends on the Go type"})
	}
	list = append(list, r.templateRows()...)
	if r.code != nil {
		list = append(list, r.machineRows()...)
	}
	for _, e := range list {
		e.Pool = r.pool.Name
		if err := p.encode(e); err != nil {
			return err
		}
	}
	return nil
}

// machineRows are the lines on machine code. Where there is no figure, a note says why.
func (r report) machineRows() (list []explained) {
	c := r.code
	if c.err != nil {
		return []explained{{Key: "code", Value: "not measured", Note: c.err.Error()}}
	}
	list = []explained{
		{Key: "code", Value: r.pool.Name, From: c.target, Bytes: sized(c.Own.Bytes), Functions: c.Own.Functions},
		{Key: "code", Value: r.outline.Core, From: c.target, Bytes: sized(c.Core.Bytes), Functions: c.Core.Functions, SharedWith: r.outline.With},
	}
	if c.PathErr != nil {
		return append(list, explained{Key: "fast_path", Value: "not known", From: c.target, Note: c.PathErr.Error()})
	}
	for _, f := range c.Path {
		list = append(list, explained{Key: "fast_path", Value: f.Symbol, From: c.target, Bytes: sized(f.Bytes)})
	}
	return list
}

func sized(n int64) *int64 { return &n }
