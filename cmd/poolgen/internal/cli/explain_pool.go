package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// report is what explain tells of a pool.
type report struct {
	pool    *spec.Pool
	sources *sources    // nil if nothing is generated
	outline outline     // of what is
	code    *codeReport // nil if nobody asked
}

// reports finds out what there is to tell.
func (p *Process) reports(ctx context.Context, u *unit, pools []*spec.Pool, measure bool) ([]report, error) {
	var s *sources
	if u.files != nil {
		var err error
		if s, err = parseSources(u.files); err != nil {
			return nil, err
		}
	}
	var list []report
	for _, pool := range pools {
		r := report{pool: pool, sources: s}
		if s != nil {
			r.outline = s.outline(pool, u.plan.Pools)
		}
		list = append(list, r)
	}
	if measure {
		p.measureCode(ctx, u, list)
	}
	return list, nil
}

// explainText prints it for people.
func (p *Process) explainText(u *unit, r report, gap bool) {
	if gap {
		fmt.Fprintln(p.Stdout)
	}
	p.explainValues(u, r.pool)
	if r.sources != nil {
		p.explainFiles(u, r)
	}
	if r.code != nil {
		p.explainMachine(r)
	}
	if r.sources != nil {
		fmt.Fprintln(p.Stdout, "\nfunctions")
		for _, f := range r.outline.functions {
			fmt.Fprintf(p.Stdout, "  %s\n", strings.TrimPrefix(f, "func "))
		}
	}
}

// explainValues prints every value of a pool, where it came from, and what follows from it.
func (p *Process) explainValues(u *unit, pool *spec.Pool) {
	fmt.Fprintf(p.Stdout, "pool %s (%s:%d)\n", pool.Name, u.name, pool.Pos.Line)
	if pool.Doc != "" {
		fmt.Fprintf(p.Stdout, "%s\n", pool.Doc)
	}
	fmt.Fprintln(p.Stdout)
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range u.rows(pool) {
		if r.Note != "" {
			r.From += ": " + r.Note
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", r.Key, r.Text, r.From)
	}
	w.Flush()
}

// explainFiles prints which files are generated for a pool, that of its suballocator last.
func (p *Process) explainFiles(u *unit, r report) {
	fmt.Fprintf(p.Stdout, "\ngenerated in %s\n", p.shown(filepath.Join(u.dir, filepath.FromSlash(u.plan.Output))))
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, name := range r.files() {
		fmt.Fprintf(w, "  %s\t%d lines, %d bytes%s\n", name, r.sources.lines(name), len(r.sources.texts[name]), r.sharers(name))
	}
	if key := r.pool.HeaderKey(); key != "" {
		fmt.Fprintf(w, "  %s\tby %s; its text depends on the Go type, which generate loads\n", lower.FilesOf(r.pool).Header, key)
	}
	w.Flush()
}

// files lists the files of a pool, that of its suballocator last.
func (r report) files() []string { return slices.Concat(r.outline.files, []string{r.outline.coreFile}) }

// sharers says which other pools have a file, if it is that of the suballocator.
func (r report) sharers(file string) string {
	if file != r.outline.coreFile || len(r.outline.with) == 0 {
		return ""
	}
	return ", shared with " + strings.Join(r.outline.with, ", ")
}

// explainMachine prints how much machine code a pool is.
func (p *Process) explainMachine(r report) {
	c := r.code
	if c.err != nil {
		fmt.Fprintf(p.Stdout, "\nmachine code: not measured\n%s", indent(c.err.Error()))
		return
	}
	fmt.Fprintf(p.Stdout, "\nmachine code (%s)\n", c.target)
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  %s\t%d bytes in %d functions\n", r.pool.Name, c.own.bytes, c.own.functions)
	fmt.Fprintf(w, "  %s\t%d bytes in %d functions%s\n", r.outline.core, c.core.bytes, c.core.functions, r.sharers(r.outline.coreFile))
	w.Flush()
	if c.pathErr != nil {
		fmt.Fprintf(p.Stdout, "fast path: not known\n%s", indent(c.pathErr.Error()))
		return
	}
	total := int64(0)
	for _, f := range c.path {
		total += f.bytes
	}
	fmt.Fprintf(p.Stdout, "fast path: %d bytes in %d functions\n", total, len(c.path))
	for _, f := range c.path {
		fmt.Fprintf(p.Stdout, "  %6d  %s\n", f.bytes, f.symbol)
	}
}

// explained is one line of explain --format json.
type explained struct {
	Pool  string `json:"pool"`
	Key   string `json:"key"` // of the pool file, or what follows from them; file, code, fast_path
	Value string `json:"value"`
	From  string `json:"from"`
	Note  string `json:"note,omitempty"`

	Bytes      *int64   `json:"bytes,omitempty"`       // of a file; of machine code
	Lines      int      `json:"lines,omitempty"`       // of a file
	Functions  int      `json:"functions,omitempty"`   // of machine code
	SharedWith []string `json:"shared_with,omitempty"` // other pools, of a suballocator
}

// explainJSON prints it for machines.
func (p *Process) explainJSON(u *unit, r report) error {
	var list []explained
	for _, row := range u.rows(r.pool) {
		list = append(list, explained{Key: row.Key, Value: row.Text, From: row.From, Note: row.Note})
	}
	if r.sources != nil {
		for _, name := range r.files() {
			e := explained{Key: "file", Value: name, From: "generated", Bytes: sized(int64(len(r.sources.texts[name]))), Lines: r.sources.lines(name)}
			if name == r.outline.coreFile {
				e.SharedWith = r.outline.with
			}
			list = append(list, e)
		}
	}
	if r.sources != nil && r.pool.HeaderKey() != "" {
		list = append(list, explained{Key: "file", Value: lower.FilesOf(r.pool).Header, From: "generated", Note: "depends on the Go type"})
	}
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
		{Key: "code", Value: r.pool.Name, From: c.target, Bytes: sized(c.own.bytes), Functions: c.own.functions},
		{Key: "code", Value: r.outline.core, From: c.target, Bytes: sized(c.core.bytes), Functions: c.core.functions, SharedWith: r.outline.with},
	}
	if c.pathErr != nil {
		return append(list, explained{Key: "fast_path", Value: "not known", From: c.target, Note: c.pathErr.Error()})
	}
	for _, f := range c.path {
		list = append(list, explained{Key: "fast_path", Value: f.symbol, From: c.target, Bytes: sized(f.bytes)})
	}
	return list
}

func sized(n int64) *int64 { return &n }
