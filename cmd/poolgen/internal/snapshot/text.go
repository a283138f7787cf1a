package snapshot

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/internal/memorymap"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Bounds of what is written about a pool.
const (
	mapRows   = 24 // over all pools
	someNames = 5  // of streams, and of calls
	someDates = 8  // events
)

// Text writes a snapshot for people: a table of the pools, then for each pool a map and what else is known.
func Text(w io.Writer, s *poolrt.Snapshot, paper Paper) error {
	t := &sheet{paper, bufio.NewWriter(w)}
	t.line("%s, %s, %s", t.program(s), s.Time.Format(time.DateTime), figure.Count(int64(len(s.Pools)), "pool"))
	if s.Debug {
		t.line("built with the tag pooldebug: blocks lie apart, so maps show twice the memory of the figures")
	}
	if len(s.Pools) == 0 {
		return t.Flush()
	}
	fmt.Fprintln(t)
	t.overview(s)
	for i := range s.Pools {
		fmt.Fprintln(t)
		if err := t.pool(s, &s.Pools[i], max(mapRows/len(s.Pools), 4)); err != nil {
			return err
		}
	}
	return t.Flush()
}

// program describes the program in half a line.
func (t *sheet) program(s *poolrt.Snapshot) string {
	return figure.CutFront(figure.Plain(s.Program), t.Width/2)
}

// overview is the table of all pools.
func (t *sheet) overview(s *poolrt.Snapshot) {
	rows := [][]string{{"pool", "live", "reserved", "limit", "largest free", "fragm.", "pending", "cached", "failures"}}
	for i := range s.Pools {
		p := &s.Pools[i]
		size := func(n int64) string { return figure.Amount(n, p.Unit) }
		fragmentation := "-"
		if p.Walked && !memorymap.OneSize(&p.PoolInfo) {
			fragmentation = fmt.Sprintf("%.2f", p.Fragmentation)
		}
		rows = append(rows, []string{
			figure.Plain(p.Name), size(p.Stats.LiveBytes), size(p.Stats.Reserved), size(p.Stats.Limit), size(p.Stats.LargestFree), fragmentation,
			size(pendingBytes(p)), size(p.Stats.Cached), fmt.Sprint(p.Stats.Failures),
		})
	}
	t.table(rows)
}

// pool writes everything about one pool.
func (t *sheet) pool(s *poolrt.Snapshot, p *poolrt.PoolSnapshot, rows int) error {
	t.heading(p.Name, ": "+memorymap.Kind(p))
	t.limit(p)
	switch {
	case !p.Walked:
		t.wrapped(" ", memorymap.NotWalked)
	case len(p.Chunks) == 0:
		t.line(" has no memory")
	}
	if err := memorymap.Text(t, p, memorymap.Paper{Width: t.Width, Rows: rows, Colour: t.Colour}); err != nil {
		return err
	}
	t.classes(p)
	t.pending(p)
	t.holders(s, p)
	t.events(s, p)
	return nil
}

// limit writes how far the program may raise the limit in force.
func (t *sheet) limit(p *poolrt.PoolSnapshot) {
	switch {
	case p.MaxLimit <= p.Stats.Limit: // 0 in files of older programs
	case p.MaxLimit == poolrt.NoLimit:
		t.line(" limit %s, which the program may raise", figure.Amount(p.Stats.Limit, p.Unit))
	default:
		t.line(" limit %s, which the program may raise to %s", figure.Amount(p.Stats.Limit, p.Unit), figure.Amount(p.MaxLimit, p.Unit))
	}
}

// classes writes what each size class holds.
func (t *sheet) classes(p *poolrt.PoolSnapshot) {
	for i, c := range p.Classes {
		if i == 0 {
			t.line(" by size class:")
		}
		size := "others"
		if c.Size > 0 {
			size = figure.Amount(c.Size, p.Unit)
		}
		t.line("   %9s: %s live, %d pending, %d free, in %s", size, figure.Count(c.Live, "block"), c.Pending, c.Free, figure.Amount(c.Reserved, p.Unit))
	}
}

// pending writes which streams have not passed the frees on them.
func (t *sheet) pending(p *poolrt.PoolSnapshot) {
	for i, q := range p.Pending {
		if i == someNames {
			t.line("   and by %s", figure.Count(int64(len(p.Pending)-i), "more stream"))
			break
		}
		if i == 0 {
			t.line(" pending on streams that have not come so far:")
		}
		t.line("   %9s in %s: stream %d of device %d", figure.Amount(q.Bytes, p.Unit), figure.Count(q.Blocks, "block"), q.Stream, q.Device)
	}
}

// holders writes which calls hold the most live bytes.
func (t *sheet) holders(s *poolrt.Snapshot, p *poolrt.PoolSnapshot) {
	list := holders(s, p)
	if len(list) == 0 {
		return
	}
	known := int64(0)
	for _, g := range list {
		known += g.Blocks
	}
	if known < p.Stats.Live {
		t.line(" held by these calls, as far as they are known (%d of %s):", known, figure.Count(p.Stats.Live, "block"))
	} else {
		t.line(" held by these calls:")
	}
	t.groups(s, list, p.Unit, someNames)
}

// groups writes the first groups of a list.
func (t *sheet) groups(s *poolrt.Snapshot, list []Group, unit string, most int) {
	for i, g := range list {
		if i == most {
			rest := Sum{}
			for _, g := range list[i:] {
				rest = rest.plus(g.Blocks, g.Bytes)
			}
			t.line("   %9s in %s of %s", figure.Size(float64(rest.Bytes), unit), figure.Count(rest.Pieces, "block"), figure.Count(int64(len(list)-i), "other kind"))
			break
		}
		t.group(s.Time, &g, unit)
	}
}

// group writes one.
func (t *sheet) group(now time.Time, g *Group, unit string) {
	text := fmt.Sprintf("   %9s in %s", figure.Size(float64(g.Bytes), unit), figure.Count(g.Blocks, "block"))
	if !g.Oldest.IsZero() {
		text += ", " + span(now.Sub(g.Newest), now.Sub(g.Oldest)) + " old"
	}
	if len(g.Calls) > 0 {
		t.pair(text, called(g.Calls))
		return
	}
	if g.Blocks > 1 {
		text += fmt.Sprintf(" of %s each", figure.Size(float64(g.Size), unit))
	}
	places := strings.Join(g.Addrs[:min(len(g.Addrs), namedPlaces)], ", ")
	if g.Blocks > namedPlaces {
		places += ", ..."
	}
	t.line("%s at %s", text, places)
}

// namedPlaces is how many addresses a line has.
const namedPlaces = 2

// events are the last ones.
func (t *sheet) events(s *poolrt.Snapshot, p *poolrt.PoolSnapshot) {
	if len(p.Events) == 0 {
		return
	}
	last := p.Events[max(len(p.Events)-someDates, 0):]
	t.line(" the last of %s:", figure.Count(int64(len(p.Events)), "event"))
	for _, e := range last {
		text := fmt.Sprintf("   %9s ago  %-5s", age(s.Time.Sub(e.Time)), e.Kind)
		if e.Bytes > 0 {
			text += fmt.Sprintf("  %9s", figure.Size(float64(e.Bytes), p.Unit))
		}
		if e.Addr > 0 {
			text += "  " + memorymap.Place(p, e.Addr)
		}
		if e.Stream > 0 {
			text += fmt.Sprintf("  stream %d", e.Stream)
		}
		if frames := callsOf(s, e.Site); len(frames) > 0 {
			text += "  " + called(frames)
		}
		t.line("%s", text)
	}
}
