package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/poolgen/poolgen/runtime/poolz"
)

// counted serves the page and counts its requests.
type counted struct {
	mu    sync.Mutex
	asked map[string]int
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.asked[r.URL.Path]++
	c.mu.Unlock()
	poolz.Handler().ServeHTTP(w, r)
}

func (c *counted) of(path string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[path]
}

// click clicks a button or a box.
func (b *tab) click(id string) {
	b.t.Helper()
	eval[bool](b, `document.getElementById("`+id+`").click(), true`)
}

// While it is visible and not paused, the page requests only the figures; it requests the map when it is shown or refreshed.
func TestPolling(t *testing.T) {
	b := open(t)
	p := start(t)
	c := &counted{asked: map[string]int{}}
	s := httptest.NewServer(c)
	defer s.Close()
	b.do(chromedp.Navigate(s.URL + "/"))
	eval[bool](b, `interval.value = "250", interval.dispatchEvent(new Event("change"))`)
	b.wait(`document.querySelectorAll("#legend li").length > 0`)

	const pause = time.Second // a page that is not paused polls several times meanwhile
	quiet := func(why string) {
		t.Helper()
		before := c.of("/figures")
		time.Sleep(pause)
		if asked := c.of("/figures") - before; asked > 1 { // one may have been under way
			t.Errorf("%s: %d requests", why, asked)
		}
	}
	goesOn := func(why string) {
		t.Helper()
		for before, end := c.of("/figures"), time.Now().Add(10*time.Second); c.of("/figures") < before+2; time.Sleep(pause / 50) {
			if time.Now().After(end) {
				t.Fatalf("%s: polling does not continue", why)
			}
		}
	}
	goesOn("at first")
	b.click("pause")
	quiet("paused")
	b.wants("status", "paused")
	b.click("pause")
	goesOn("after the pause")
	hide := func(hidden string) {
		eval[bool](b, `Object.defineProperty(document, "hidden", { value: `+hidden+`, configurable: true }), document.dispatchEvent(new Event("visibilitychange"))`)
	}
	hide("true")
	quiet("hidden")
	hide("false")
	goesOn("seen again")
	if n := c.of("/snapshot"); n != 1 {
		t.Errorf("the map of one pool was requested %d times", n)
	}
	b.click("refresh")
	for end := time.Now().Add(10 * time.Second); c.of("/snapshot") != 2; time.Sleep(pause / 50) {
		if time.Now().After(end) {
			t.Fatalf("the map was requested %d times", c.of("/snapshot"))
		}
	}

	// A chosen piece stays chosen while the map is redrawn.
	b.do(chromedp.Focus(chromedp.ID("map")))
	b.wait(`document.querySelector("#piece dl") !== null`)
	b.click("follow")
	looked := b.text("map-about")
	p.step()
	b.wait(`document.getElementById("map-about").innerText !== "` + looked + `"`)
	b.wants("piece", "1 of ")
	b.clean(s.URL)

	s.Close()
	b.wait(`document.getElementById("status").innerText.includes("no answer")`)
	if !strings.Contains(b.text("pools"), "scene.Index") {
		t.Error("the chosen piece is lost")
	}
}
