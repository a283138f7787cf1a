package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	poolrt "github.com/poolgen/poolgen/runtime"
)

func TestDiff(t *testing.T) {
	b := visit(t, sample(1, 6), later())
	b.wants("pools", "audio.Voice", "went", "net.Packet1", "came", "+")
	b.wants("legend", "came", "went")
	b.picture("diff-light")
	b.scheme("dark")
	b.picture("diff-dark")
	b.clean("file://")
}

// blocks returns a snapshot of one chunk of pieces of 100 bytes: l stands for a live piece, n for one that was handed out later, f for a free one.
func blocks(letters string) *poolrt.Snapshot {
	s, p := sample(1, 1), pool("p", "heap", "host")
	c := poolrt.ChunkSnapshot{Addr: 0x1000, Size: uint64(100 * len(letters))}
	for i, letter := range letters {
		piece := poolrt.Piece{Off: uint64(100 * i), Size: 100}
		if letter != 'f' {
			piece.State, piece.Asked, piece.Since = poolrt.PieceLive, 100, at.UnixNano()-1e9*int64('z'-letter)
		}
		c.Pieces = append(c.Pieces, piece)
	}
	p.Chunks = append(p.Chunks, c)
	s.Pools = []poolrt.PoolSnapshot{measured(p)}
	return s
}

// Blocks came, went, were replaced by others, or are the same.
func TestDiffOfBlocks(t *testing.T) {
	b := visit(t, blocks("lflffl"), blocks("llfffn"))
	b.wants("legend", "came 200 B, 2 blocks", "went 200 B, 2 blocks")
	b.do(chromedp.Focus(chromedp.ID("map")))
	b.wait(`document.querySelector("#piece dl") !== null`)
	for i, want := range []string{"", "new since the first", "a block was here", "", "", "new, where another block was"} {
		if got := b.text("piece"); strings.Contains(got, "snapshots") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("piece %d: %s, want %q", i, got, want)
		}
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.clean("file://")
}

// The page marks the same blocks as new as poolgen snapshot does: none in pools whose blocks are not known one by one; and if only one of two blocks
// was sampled, that one if it was allocated later.
func TestDiffOfWhatIsKnown(t *testing.T) {
	unsampled := func(s *poolrt.Snapshot, pieces ...int) *poolrt.Snapshot {
		for _, i := range pieces {
			s.Pools[0].Chunks[0].Pieces[i].Since = 0
		}
		return s
	}
	bump := func(s *poolrt.Snapshot) *poolrt.Snapshot { s.Pools[0].AllAtOnce = true; return s }
	unwalked := blocks("f")
	unwalked.Pools[0].Walked, unwalked.Pools[0].Chunks = false, nil
	older, newer := blocks("ll"), unsampled(blocks("ll"), 0)
	younger := blocks("ll")
	younger.Time = at.Add(time.Minute)
	younger.Pools[0].Chunks[0].Pieces[0].Since = at.Add(time.Second).UnixNano()
	early, late := unsampled(blocks("l")), blocks("l")
	early.Time = at.Add(900 * time.Microsecond)
	early.Pools[0].Chunks[0].Pieces[0].Since, late.Pools[0].Chunks[0].Pieces[0].Since = 0, at.Add(500*time.Microsecond).UnixNano()
	for name, test := range map[string]struct {
		before, after *poolrt.Snapshot
		came          string
	}{
		"bump":                {bump(blocks("lf")), bump(blocks("ll")), ""},
		"not walked":          {unwalked, blocks("ll"), ""},
		"sampled before":      {older, newer, ""},
		"sampled after":       {newer, older, ""},
		"sampled, and later":  {newer, younger, "came 100 B, 1 block"},
		"sampled just before": {early, late, ""},
	} {
		b := visit(t, test.before, test.after)
		if legend := b.text("legend"); !strings.Contains(legend, test.came) || test.came == "" && strings.Contains(legend, "came") {
			t.Errorf("%s: %s", name, legend)
		}
		b.clean("file://")
	}
}

// If a pool was walked in the first snapshot only, nothing in it counts as freed.
func TestDiffOfAPoolThatIsNotWalkedAnyMore(t *testing.T) {
	after := blocks("ll")
	after.Pools[0].Walked, after.Pools[0].Chunks = false, nil
	b := visit(t, blocks("ll"), after)
	b.wants("map-about", "No map")
	if !eval[bool](b, `document.getElementById("map-scroll").hidden`) {
		t.Error("there is a map")
	}
	b.clean("file://")
}

// In a snapshot compared with itself nothing changed.
func TestDiffOfNothing(t *testing.T) {
	b := visit(t, sample(1, 2), sample(1, 2))
	if legend := b.text("legend"); strings.Contains(legend, "came") || strings.Contains(legend, "went") {
		t.Error(legend)
	}
	b.wants("cards", "unchanged")
	b.clean("file://")
}
