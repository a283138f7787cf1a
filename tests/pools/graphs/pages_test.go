//go:build cudasim

package graphs

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// pagesOf begins a capture with memory of a pool.
func pagesOf(t *testing.T, on cuda.Stream, p *PagePool, after ...cuda.Graph) {
	t.Helper()
	rig.Check(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{p}, after...))
}

// passing allocates a block, uses it and frees it. It returns where the block was.
func passing(t *testing.T, p *PagePool, on cuda.Stream, bytes int) cuda.DevicePtr {
	t.Helper()
	b := rig.Must(p.AllocOn(bytes, on))
	at := b.Addr()
	rig.Check(t, "work", cuda.MemsetAsync(at, 1, b.Bytes(), on))
	rig.Check(t, "free", p.FreeOn(b, on))
	return at
}

// A graph has pages in a row, and obtains as many as are missing behind those that are free. A graph that follows uses them so, too.
func TestPagesInARow(t *testing.T) {
	if poolimpl.Debug {
		t.Skip("in debug builds chunks lie apart")
	}
	rig.Machine(t, config)
	on, p := rig.Stream(t, 0), new(PagePool)
	pagesOf(t, on, p)
	at := passing(t, p, on, page+1)
	if passing(t, p, on, 2*page+1) != at || p.Stats().Private != 3*page {
		t.Errorf("a block of two pages and a byte does not begin where one of a page and a byte was, or %d bytes are not three pages", p.Stats().Private)
	}
	first := rig.Must(on.EndCapture())
	pagesOf(t, on, p, first)
	if passing(t, p, on, 3*page) != at || p.Stats().Private != 3*page {
		t.Errorf("a block of all pages is not where they are, or %d bytes are not three pages", p.Stats().Private)
	}
	second := rig.Must(on.EndCapture())
	rig.Check(t, "launch", first.Launch(on))
	rig.Check(t, "launch", second.Launch(on))
	rig.Check(t, "close", first.Close())
	subject{rig.SubjectOf(p), "Page", 0}.ended(t, second)
}

// Of two graphs that grow in turns, neither finds room behind its pages.
func TestPagesOfTwoGraphs(t *testing.T) {
	rig.Machine(t, config)
	p := new(PagePool)
	on := [2]cuda.Stream{rig.Stream(t, 0), rig.Stream(t, 0)}
	for _, s := range on {
		pagesOf(t, s, p)
	}
	for n := 1; n < 6; n++ {
		for _, s := range on {
			passing(t, p, s, n*page)
		}
	}
	var graphs [2]cuda.Graph
	for i, s := range on {
		graphs[i] = rig.Must(s.EndCapture())
		if n := graphs[i].Private().Bytes; n < 5*page || n > 15*page {
			t.Errorf("graph %d has %d bytes", i, n)
		}
		rig.Check(t, "launch", graphs[i].Launch(s))
	}
	rig.Check(t, "close", graphs[0].Close())
	subject{rig.SubjectOf(p), "Page", 0}.ended(t, graphs[1])
}
