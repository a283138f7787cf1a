package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	poolrt "github.com/poolgen/poolgen/runtime"
)

const hash = "location.hash"

// The address names the pool, the chosen piece and the part of its chunk in view. A reload shows them again, and so
// does a page where the address is pasted.
func TestAddress(t *testing.T) {
	s := sample(1, 2)
	address := scripted(t, func() *poolrt.Snapshot { return s }, func(names []string) *poolrt.Snapshot { return of(s, names) })
	b := open(t)
	b.do(chromedp.Navigate(address))
	b.wait(`document.querySelectorAll("#pools button").length === 3`)
	eval[bool](b, `[...document.querySelectorAll("#pools button")].find((n) => n.textContent === "scene.Vertex").click(), true`)
	b.wait(`document.getElementById("map").ariaLabel.includes("scene.Vertex: 2 chunks")`)
	b.do(chromedp.Focus(chromedp.ID("map")), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.End), chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	b.wait(hash + `.startsWith("#pool=scene.Vertex&chunk=0xc0100000&piece=") && ` + hash + `.includes("&to=")`)
	link, piece := eval[string](b, hash), b.text("piece")
	shown := `document.getElementById("pool-title").textContent === "scene.Vertex" && document.getElementById("piece").innerText === ` + "`" + piece + "`"
	b.do(chromedp.Reload())
	b.wait(shown)
	b.wait(hash + ` === "` + link + `"`)
	eval[bool](b, `[...document.querySelectorAll("#pools button")].find((n) => n.textContent === "scene.Texture").click(), true`)
	b.wait(hash + ` === "#pool=scene.Texture"`)
	eval[bool](b, `location.hash = "`+link+`", true`)
	b.wait(shown)
	b.wait(hash + ` === "` + link + `"`)
	b.clean(address)
}

// Of two pools of one name, the address says which.
func TestAddressOfOneName(t *testing.T) {
	s := sample(1, 1)
	s.Pools = []poolrt.PoolSnapshot{s.Pools[1], s.Pools[1]}
	b := visit(t, s)
	eval[bool](b, `document.querySelectorAll("#pools button")[1].click(), true`)
	b.wait(hash + ` === "#pool=scene.Vertex&number=2"`)
	b.do(chromedp.Reload())
	b.wants("pool-title", "scene.Vertex (2)")
}

// An address may come from anyone: its names are not shown, and places that do not exist are passed over.
func TestHostileAddress(t *testing.T) {
	const planted = "<img src=x onerror=alert(1)>"
	b := visit(t, sample(1, 2))
	for _, hostile := range []string{
		"pool=" + planted, "pool=scene.Vertex&number=" + planted + "&chunk=" + planted, "pool=__proto__&__proto__=" + planted, "map", "pool=%zz&%",
		"pool=scene.Vertex&chunk=0xc0000000&piece=-1&from=-5&to=1e999", "pool=scene.Vertex&chunk=0xc0000000&piece=NaN&from=1e308&to=x", "pool=scene.Vertex&chunk=0x1&piece=1",
	} {
		eval[bool](b, "location.hash = `"+hostile+"`, true")
		b.do(chromedp.Reload())
		b.waitFrames()
		if text := eval[string](b, "document.body.innerText"); strings.Contains(text, "onerror") || !strings.Contains(b.text("map-about"), "2 chunks") {
			t.Errorf("#%s: %s", hostile, text)
		}
		b.wait(hash + `.startsWith("#pool=scene.") && !/onerror|NaN|-|1e|=x|0x1&/.test(` + hash + `)`) // what is shown
	}
	if n := eval[int](b, `document.querySelectorAll("img").length`); n != 0 {
		t.Errorf("%d elements were planted", n)
	}
	b.clean("file://")
}
