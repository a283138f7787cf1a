package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The page shows the pools of a running program, and its series grow.
func TestLive(t *testing.T) {
	b := open(t)
	p := start(t)
	address := serve(t)
	b.do(chromedp.Navigate(address))
	eval[bool](b, `interval.value = "250", interval.dispatchEvent(new Event("change"))`)
	b.wait(`document.querySelectorAll("#pools tbody tr").length === 4 && document.querySelectorAll("#legend li").length > 0`)
	for _, name := range []string{"scene.Index", "scene.Vertex", "caching.Tensor", "tracked.Page", "Budget Scene"} {
		if all := b.text("pools") + b.text("budgets"); !strings.Contains(all, name) {
			t.Errorf("no %s in %s", name, all)
		}
	}
	b.wait(`Number(document.getElementById("series").dataset.samples) >= 2`)
	before := eval[int](b, `Number(document.getElementById("series").dataset.samples)`)
	for range 12 {
		for range 400 {
			p.step()
		}
		b.wait(`Number(document.getElementById("series").dataset.samples) > ` + eval[string](b, `document.getElementById("series").dataset.samples`))
	}
	if after := eval[int](b, `Number(document.getElementById("series").dataset.samples)`); after < before+12 {
		t.Errorf("%d samples, then %d", before, after)
	}
	for _, scheme := range []string{"dark", "light"} {
		b.scheme(scheme)
		b.picture("live-" + scheme)
	}
	b.scheme("dark")
	b.do(chromedp.EmulateViewport(360, 780))
	b.picture("live-narrow")
	b.clean(address)
}
