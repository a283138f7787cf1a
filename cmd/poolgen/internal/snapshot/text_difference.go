package snapshot

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// changes are the figures that a difference shows if they changed.
var changes = []struct {
	name  string
	count bool // of things, not bytes
	of    func(*Figures) int64
}{
	{"live", false, func(f *Figures) int64 { return f.LiveBytes }},
	{"live blocks", true, func(f *Figures) int64 { return f.Live }},
	{"reserved", false, func(f *Figures) int64 { return f.Reserved }},
	{"limit", false, func(f *Figures) int64 { return f.Limit }},
	{"largest free", false, func(f *Figures) int64 { return f.LargestFree }},
	{"pending", false, func(f *Figures) int64 { return f.PendingBytes }},
	{"cached", false, func(f *Figures) int64 { return f.Cached }},
	{"chunks", true, func(f *Figures) int64 { return f.Chunks }},
	{"allocs", true, func(f *Figures) int64 { return f.Allocs }},
	{"frees", true, func(f *Figures) int64 { return f.Frees }},
	{"failures", true, func(f *Figures) int64 { return f.Failures }},
}

// someKinds is the number of groups of new blocks that are written.
const someKinds = 10

// TextBetween writes for people what changed from one snapshot to another: figures, and groups of new blocks, where leaks show.
func TextBetween(w io.Writer, before, after *poolrt.Snapshot, paper Paper) error {
	t := &sheet{paper, bufio.NewWriter(w)}
	d := Between(before, after)
	t.line("%s, %s", t.program(before), before.Time.Format(time.DateTime))
	t.line("%s, %s, %s later", t.program(after), after.Time.Format(time.DateTime), later(after.Time.Sub(before.Time)))
	var alike []string
	for i := range d.Pools {
		if d.Pools[i].alike() {
			alike = append(alike, figure.Plain(d.Pools[i].Name))
			continue
		}
		fmt.Fprintln(t)
		t.difference(after, &d.Pools[i])
	}
	if len(alike) > 0 {
		fmt.Fprintln(t)
		t.line("nothing changed in %s", strings.Join(alike, ", "))
	}
	return t.Flush()
}

// alike reports whether nothing changed.
func (d *PoolDifference) alike() bool {
	return d.Before != nil && d.After != nil && *d.Before == *d.After && d.New.Pieces == 0 && d.Gone.Pieces == 0
}

// later writes a time that may be below zero.
func later(d time.Duration) string {
	if d < 0 {
		return "-" + age(-d)
	}
	return age(d)
}

func (t *sheet) difference(after *poolrt.Snapshot, d *PoolDifference) {
	with := func(what string, f *Figures) string {
		return fmt.Sprintf(": %s, with %s live in %s, %s reserved", what, figure.Amount(f.LiveBytes, d.Unit), figure.Count(f.Live, "block"), figure.Amount(f.Reserved, d.Unit))
	}
	switch {
	case d.Before == nil:
		t.heading(d.Name, with("came", d.After))
	case d.After == nil:
		t.heading(d.Name, with("went", d.Before))
		return
	default:
		t.heading(d.Name, "")
		t.figures(d)
	}
	of := func(sum Sum) string {
		return figure.Count(sum.Pieces, "block") + " of " + figure.Size(float64(sum.Bytes), d.Unit)
	}
	if !d.Known {
		t.line(" its blocks are not known one by one")
	}
	if d.Gone.Pieces > 0 {
		t.line(" gone: %s", of(d.Gone))
	}
	if d.New.Pieces > 0 {
		t.line(" new: %s", of(d.New))
		t.groups(after, d.NewBy, d.Unit, someKinds)
	}
}

// figures writes the figures that changed.
func (t *sheet) figures(d *PoolDifference) {
	for _, c := range changes {
		a, b := c.of(d.Before), c.of(d.After)
		if a == b {
			continue
		}
		unit := d.Unit
		if c.count {
			unit = ""
		}
		text := fmt.Sprintf(" %-13s  %9s -> %9s", c.name, figure.Amount(a, unit), figure.Amount(b, unit))
		if a != poolrt.NoLimit && b != poolrt.NoLimit {
			text += fmt.Sprintf("  %10s", figure.Change(b-a, unit))
		}
		t.line("%s", text)
	}
	if a, b := d.Before.Fragmentation, d.After.Fragmentation; a != b && !d.oneSize {
		t.line(" %-13s  %9.2f -> %9.2f  %+10.2f", "fragmentation", a, b, b-a)
	}
}
