package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// mouse sends a pointer event at a place of the map, given in pixels from its top left corner.
func (b *tab) mouse(kind input.DispatchMouseEventType, x, y float64, clicks int64) {
	b.t.Helper()
	box := eval[[]float64](b, `(({ left, top }) => [left, top])(document.getElementById("map").getBoundingClientRect())`)
	p := input.DispatchMouseEventParams{Type: kind, X: box[0] + x, Y: box[1] + y}
	if clicks > 0 {
		p.Button, p.ClickCount = input.MouseButtonLeft, clicks
	}
	if _, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, p); err != nil {
		b.t.Fatal(err)
	}
}

// A line beside the pointer describes the piece under it; a click chooses the piece, and a double click zooms.
func TestPointer(t *testing.T) {
	b := visit(t, sample(1, 3))
	eval[bool](b, `document.getElementById("legend").scrollIntoView(), true`)
	b.waitFrames()
	b.mouse(input.DispatchMouseEventTypeMouseMoved, 300, 40, 0)
	b.wait(`!tip.hidden && tip.innerText.includes("0x7f3a40")`)
	b.mouse(input.DispatchMouseEventTypeMouseMoved, 300, 130, 0)
	b.wait(`!tip.hidden && tip.innerText.includes("0x7f3a402")`)
	said := b.text("tip")
	b.mouse(input.DispatchMouseEventTypeMousePressed, 300, 130, 1)
	b.mouse(input.DispatchMouseEventTypeMouseReleased, 300, 130, 1)
	b.wants("piece", "2 of 3")
	b.picture("pointer")
	b.mouse(input.DispatchMouseEventTypeMousePressed, 300, 130, 2)
	b.mouse(input.DispatchMouseEventTypeMouseReleased, 300, 130, 2)
	b.waitFrames()
	b.mouse(input.DispatchMouseEventTypeMouseMoved, 301, 130, 0)
	if got := b.text("tip"); got != said {
		t.Errorf("at the same place %q, then, zoomed in, %q", said, got)
	}
	b.mouse(input.DispatchMouseEventTypeMouseMoved, 300, -90, 0)
	b.wait(`tip.hidden`)
	b.clean("file://")
}
