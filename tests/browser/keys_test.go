package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// thirds returns a snapshot of a pool with two chunks of three pieces each.
func thirds() *poolrt.Snapshot {
	s := sample(1, 1)
	p := pool("p", "heap", "host")
	for i, states := range [][]poolrt.PieceState{{poolrt.PieceLive, poolrt.PieceFree, poolrt.PiecePending}, {poolrt.PieceFree, poolrt.PieceLive, poolrt.PieceWaste}} {
		c := poolrt.ChunkSnapshot{Addr: uint64(0x1000 * (i + 1)), Size: 0x300}
		for k, state := range states {
			piece := poolrt.Piece{Off: uint64(k * 0x100), Size: 0x100, State: state}
			if state == poolrt.PieceLive || state == poolrt.PiecePending {
				piece.Asked = 200
			}
			c.Pieces = append(c.Pieces, piece)
		}
		c.Pieces[1].Site = uint32(i) // the live piece of the second chunk has calls
		p.Chunks = append(p.Chunks, c)
	}
	p.Chunks[1].Pieces[0].Size, p.Chunks[1].Pieces[1].Off, p.Chunks[1].Pieces[1].Size = 0x110, 0x110, 0xf0
	s.Pools = []poolrt.PoolSnapshot{measured(p)}
	return s
}

// Keys move over the pieces of the map, and the page describes the chosen piece.
func TestKeys(t *testing.T) {
	b := visit(t, thirds())
	b.do(chromedp.Focus(chromedp.ID("map")))
	b.wait(`document.querySelector("#piece dl") !== null`) // which tells of the first piece
	for _, step := range []struct{ key, want string }{
		{"", "live 256 B 200 B 0x1000 1 of 3"},
		{kb.ArrowRight, "free 256 B 0x1100 2 of 3"},
		{kb.ArrowRight, "pending 256 B 200 B 0x1200 3 of 3"},
		{kb.ArrowRight, "pending 256 B 200 B 0x1200 3 of 3"},
		{kb.ArrowDown, "waste 256 B 0x2200 3 of 3"},
		{kb.ArrowLeft, "live 240 B 200 B 0x2110 2 of 3 loadScene /src/render/scene/load.go:40"},
		{kb.Home, "free 272 B 0x2000 1 of 3"},
		{kb.ArrowUp, "live 256 B 200 B 0x1000 1 of 3"},
		{kb.End, "pending 256 B 200 B 0x1200 3 of 3"},
		{"l", "free 272 B 0x2000 1 of 3"},
		{kb.Escape, "Choose a piece"},
	} {
		if step.key != "" {
			b.do(chromedp.KeyEvent(step.key))
		}
		got := b.text("piece")
		for _, word := range strings.Fields(step.want) {
			if !strings.Contains(got, word) {
				t.Errorf("after %q: no %q in %q", step.key, word, got)
			}
		}
	}
	for range 5 { // also where a pixel is not a whole number of bytes
		b.do(chromedp.KeyEvent("+"))
	}
	b.waitFrames()
	b.picture("keys")
	b.clean("file://")
}

// The whole chunk can be shown again from any position in it, also from just after the chosen piece.
func TestWholeChunkAgain(t *testing.T) {
	b := visit(t, thirds())
	b.do(chromedp.Focus(chromedp.ID("map")), chromedp.KeyEvent("+"))
	eval[bool](b, `(({ left, top }) => map.dispatchEvent(new WheelEvent("wheel", { clientX: left + 9, clientY: top + 40, deltaX: map.clientWidth / 2, cancelable: true })))(map.getBoundingClientRect()), true`) // from 0x1040 to 0x1100
	b.do(chromedp.KeyEvent("0"))
	eval[bool](b, `legend.scrollIntoView(), true`)
	b.waitFrames()
	for x, want := range map[float64]string{10: "0x1000", 1150: "0x1200"} {
		b.mouse(input.DispatchMouseEventTypeMouseMoved, x, 40, 0)
		b.waitFrames()
		if got := b.text("tip"); !strings.Contains(got, want) {
			t.Errorf("at %v: %q, want %s", x, got, want)
		}
	}
	b.clean("file://")
}
