package hazard

import (
	"strings"
	"testing"
)

// axis makes moments of one axis.
type axis struct {
	n     int
	clock Clock
}

// next returns the next moment, after those of the others.
func (l *axis) next(after ...*axis) Moment {
	for _, o := range after {
		l.clock = l.clock.Join(o.clock)
	}
	l.clock = l.clock.Tick(l.n)
	return Moment{Point: Point{Axis: l.n, Tick: l.clock.At(l.n), Where: "stream", What: "work"}, Clock: l.clock}
}

func place(from, to uint64) Place { return Place{Memory: 1, Offset: from, Bytes: to - from} }

func TestClock(t *testing.T) {
	a := Clock{1, 5}
	b := Clock{2, 3, 1}
	sum := a.Join(b)
	if !sum.Holds(a) || !sum.Holds(b) || a.Holds(b) || b.Holds(a) || sum.At(0) != 2 || sum.At(1) != 5 || sum.At(2) != 1 || sum.At(9) != 0 {
		t.Errorf("%v", sum)
	}
	next := a.Tick(3)
	if a.At(3) != 0 || next.At(3) != 1 || !next.Covers(Point{Axis: 1, Tick: 5}) || next.Covers(Point{Axis: 1, Tick: 6}) {
		t.Errorf("%v", next)
	}
}

func TestOrderIsTransitive(t *testing.T) {
	c := Checker{On: true}
	x, y, z := &axis{n: 1}, &axis{n: 2}, &axis{n: 3}
	c.Use(place(0, 10), true, x.next())
	y.next(x)
	c.Use(place(5, 6), true, z.next(y))
	c.Use(place(0, 10), false, x.next())
	if found, _ := c.Reports(); len(found) != 1 || found[0].Earlier.Axis != 3 || found[0].Later.Axis != 1 {
		t.Errorf("%v", found)
	}
}

func TestWritesReplaceWhatTheyCover(t *testing.T) {
	c := Checker{On: true}
	x := &axis{n: 1}
	for range 1000 {
		c.Use(place(0, 10), true, x.next())
		c.Use(place(3, 5), false, x.next())
	}
	if n := len(c.memory[1].uses); n != 2 {
		t.Errorf("%d uses are kept", n)
	}
	m := x.next()
	m.Host = m.Clock
	c.Use(place(20, 21), false, m)
	if n := len(c.memory[1].uses); n != 1 {
		t.Errorf("%d uses are kept that the host has waited for", n)
	}
}

func TestReadsDoNotReplaceWrites(t *testing.T) {
	c := Checker{On: true}
	x, y := &axis{n: 1}, &axis{n: 2}
	c.Use(place(0, 10), true, x.next())
	c.Use(place(0, 10), false, x.next())
	c.Use(place(0, 10), false, y.next())
	if found, _ := c.Reports(); len(found) != 1 {
		t.Errorf("%v", found)
	}
}

func TestReportsAreBounded(t *testing.T) {
	c := Checker{On: true}
	x, y := &axis{n: 1}, &axis{n: 2}
	for range 150 {
		c.Use(place(0, 10), true, x.next())
		c.Use(place(0, 10), true, y.next())
	}
	found, more := c.Reports()
	if len(found) != maxReports || more == 0 || !strings.Contains(found[0].String(), "only up to position 0") {
		t.Errorf("%d reports and %d more: %s", len(found), more, found[0])
	}
}

func TestBlocksSplitAndMerge(t *testing.T) {
	c := Checker{On: true}
	x := &axis{n: 1}
	c.HandOut(place(0, 100), x.next())
	c.TakeBack(place(0, 100), x.next())
	c.HandOut(place(20, 30), x.next())
	c.HandOut(place(30, 100), x.next())
	c.TakeBack(place(20, 30), x.next())
	c.TakeBack(place(30, 100), x.next())
	c.HandOut(place(10, 90), x.next())
	if found, _ := c.Reports(); len(found) != 0 {
		t.Errorf("%v", found)
	}
	c.Use(place(0, 11), false, x.next())
	c.Use(place(89, 100), false, x.next())
	if found, _ := c.Reports(); len(found) != 2 || found[0].Kind != UsedAfter {
		t.Errorf("%v", found)
	}
	off := Checker{}
	off.HandOut(place(0, 1), x.next())
	off.HandOut(place(0, 1), x.next())
	if found, _ := off.Reports(); len(found) != 0 {
		t.Errorf("switched off: %v", found)
	}
}
