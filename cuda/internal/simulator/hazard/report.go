package hazard

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of hazard.
type Kind string

// The kinds of hazards.
const (
	Unordered Kind = "uses that nothing orders"
	TooEarly  Kind = "handed out before it is free"
	Twice     Kind = "handed out while it is in use"
	UsedAfter Kind = "used after it was taken back"
	NotOut    Kind = "taken back though it is not handed out"
)

// Report is one hazard: two things that should have an order.
type Report struct {
	Kind    Kind
	Address uint64
	Bytes   uint64
	Earlier Point    // in the order of the calls
	Later   Point    //
	Seen    uint64   // the position on Earlier's axis that Later is ordered after; before Earlier's if the order is missing
	History []string // other uses of the memory, the oldest first
}

// maxReports bounds the reports that are kept: one mistake in a loop makes as many hazards as the loop has iterations.
const maxReports = 100

// report keeps a hazard, once for each pair of points.
func (c *Checker) report(k Kind, p Place, earlier Point, m Moment, h *history) {
	same := func(r Report) bool { return r.Earlier == earlier && r.Later == m.Point }
	if slices.ContainsFunc(c.reports, same) {
		return
	}
	if len(c.reports) == maxReports {
		c.more++
		return
	}
	r := Report{Kind: k, Address: p.Address, Bytes: p.Bytes, Earlier: earlier, Later: m.Point, Seen: m.Clock.At(earlier.Axis)}
	for _, u := range h.uses {
		if u.overlaps(use{from: p.Offset, to: p.Offset + p.Bytes}) {
			r.History = append(r.History, line(verb[u.write], u.point, m))
		}
	}
	for _, b := range h.blocks {
		if b.overlaps(p) {
			r.History = append(r.History, line("handed out", b.given, m))
			if !b.out {
				r.History = append(r.History, line("taken back", b.back, m))
			}
		}
	}
	c.reports = append(c.reports, r)
}

var verb = map[bool]string{false: "read", true: "written"}

// line describes a use, and whether the later one of two is ordered after it.
func line(what string, p Point, m Moment) string {
	if m.Clock.Covers(p) {
		return fmt.Sprintf("%s by %s: ordered before", what, p)
	}
	return fmt.Sprintf("%s by %s: not ordered, a wait for position %d of %s is missing", what, p, p.Tick, p.Where)
}

// String describes a hazard in some lines.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d bytes at %#x\n  first %s\n  then  %s", r.Kind, r.Bytes, r.Address, r.Earlier, r.Later)
	if r.Seen < r.Earlier.Tick {
		fmt.Fprintf(&b, ", which is ordered after %s only up to position %d", r.Earlier.Where, r.Seen)
	}
	for _, h := range r.History {
		b.WriteString("\n  " + h)
	}
	return b.String()
}

// Reports returns the hazards, the oldest first and at most 100, and the number of others.
func (c *Checker) Reports() ([]Report, int) { return slices.Clone(c.reports), c.more }
