package browser

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/poolgen/poolgen/internal/poolpage"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// visit writes a page to a file, and opens the file.
func visit(t *testing.T, snapshots ...*poolrt.Snapshot) *tab {
	t.Helper()
	b := open(t)
	name := filepath.Join(t.TempDir(), "pools.html")
	f, err := os.Create(name)
	fatal.If(t, err)
	fatal.If(t, poolpage.Write(f, snapshots...))
	fatal.If(t, f.Close())
	b.do(chromedp.Navigate("file://" + name))
	return b
}

// wants looks for texts in an element.
func (b *tab) wants(id string, texts ...string) {
	b.t.Helper()
	got := b.text(id)
	for _, text := range texts {
		if !strings.Contains(got, text) {
			b.t.Errorf("%s has no %q: %s", id, text, got)
		}
	}
}

func TestStatic(t *testing.T) {
	b := visit(t, sample(1, 6))
	b.wants("pools", "scene.Texture", "scene.Vertex", "audio.Voice", "asleep, 2 MiB private to 1 graph with 0 outputs, 3 MiB on the host")
	b.wants("budgets", "Budget Frame 30 MiB reserved, 4 MiB kept for guarantees, 47 % of 64 MiB", "audio.Voice 2 MiB (4 MiB guaranteed, priority 10, gave 6 MiB)")
	b.wants("legend", "live", "pending", "cached", "free", "hole", "waste", "live for", "under 1 s", "longer")
	b.wants("streams", "scene.Texture", "812 KiB")
	b.wants("sites", "loadScene (scene/load.go:40)")
	b.wants("events", "100 of 140", "9,139")
	b.picture("static-light")
	b.scheme("dark")
	b.picture("static-dark")
	b.do(chromedp.EmulateViewport(360, 780))
	b.picture("static-narrow")
	b.clean("file://")
}

// Every free block of a pool of one size serves every request, so the page names no other largest piece there, and no
// fragmentation.
func TestOneSize(t *testing.T) {
	s := thirds()
	s.Pools[0].Suballocator, s.Pools[0].ItemSize, s.Pools[0].Stats.LargestFree = "fixed", 40, 40
	b := visit(t, s)
	b.wants("pools", "40 B", "–")
	b.wants("map-about", "528 B free.")
	if got := b.text("main"); strings.Contains(got, "272 B") || strings.Contains(got, "0.48") {
		t.Error(got)
	}
}

// A name is only text, whatever it contains.
func TestHostileNames(t *testing.T) {
	const hostile = "</script><img src=x onerror=alert(1)><b id=planted>\u202e'\"&amp;{{data}}"
	s := sample(1, 2)
	s.Program = hostile
	for i := range s.Sites {
		s.Sites[i].Frames[0] = poolrt.Frame{Function: hostile, File: hostile, Line: 1}
	}
	for i := range s.Pools {
		p := &s.Pools[i]
		p.Name, p.Allocator, p.Requested, p.Reason, p.Suballocator, p.Fit, p.Concurrency, p.Ordering, p.Budget.Name = hostile, hostile, "x", hostile, hostile, hostile, hostile, hostile, hostile
	}
	b := visit(t, s, s)
	b.wants("program", hostile)
	b.wants("pools", hostile, hostile+" (2)")
	b.wants("sites", hostile)
	if n := eval[int](b, `document.querySelectorAll("#planted, img").length`); n != 0 {
		t.Errorf("%d elements were planted", n)
	}
	b.clean("file://")
}

// The policy blocks scripts that pass all other defences.
func TestPolicyHolds(t *testing.T) {
	b := visit(t, sample(1, 2))
	blocked := eval[[]string](b, `new Promise((done) => {
		const seen = []
		document.addEventListener("securitypolicyviolation", (e) => seen.push(e.effectiveDirective))
		const script = document.createElement("script")
		script.textContent = "window.planted = true"
		document.body.append(script)
		const image = document.createElement("img")
		image.src = "http://127.0.0.1:1/x"
		document.body.append(image)
		fetch("http://127.0.0.1:1/y").catch(() => setTimeout(() => done(seen.sort()), 100))
	})`)
	if got := strings.Join(blocked, " "); got != "connect-src img-src script-src-elem" {
		t.Errorf("blocked: %s", got)
	}
	if eval[bool](b, "window.planted === true") {
		t.Error("a planted script ran")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.faults) < len(blocked) {
		t.Errorf("of %d complaints of the browser, the test heard %q", len(blocked), b.faults)
	}
}

// The page can show 100,000 pieces. The test only prints how long a frame takes, for people to judge.
func TestLarge(t *testing.T) {
	s := sample(1, 1)
	p := pool("big.Pool", "heap", "host")
	for i := range 10 {
		p.Chunks = append(p.Chunks, filled(rand.New(rand.NewPCG(1, uint64(i))), uint64(1<<40+i<<30), 256<<20, 10500))
	}
	s.Pools = []poolrt.PoolSnapshot{measured(p)}
	pieces := 0
	for _, c := range p.Chunks {
		pieces += len(c.Pieces)
	}
	b := visit(t, s)
	b.waitFrames()
	took := []string{}
	for range 5 {
		eval[bool](b, `document.getElementById("zoom-in").click() || true`)
		b.waitFrames()
		took = append(took, eval[string](b, `performance.getEntriesByName("map").at(-1).duration.toFixed(1)`))
	}
	t.Logf("%d pieces, ms for each of five frames: %s", pieces, strings.Join(took, ", "))
	if pieces < 100000 {
		t.Errorf("%d pieces are no test", pieces)
	}
	eval[bool](b, `document.getElementById("zoom-all").click() || true`)
	b.picture("large")
	b.wants("legend", "pieces")
	if got := b.text("map-about"); !strings.Contains(got, strconv.Itoa(len(p.Chunks))+" chunks") {
		t.Error(got)
	}
	b.clean("file://")
}

// The page says so if there are no pools, if a pool cannot be walked, and if a pool has no memory.
func TestNothingToShow(t *testing.T) {
	b := visit(t, &poolrt.Snapshot{Time: at, Program: "x"})
	b.wants("pools", "No pool is in use")
	if eval[bool](b, `document.getElementById("pool").checkVisibility()`) {
		t.Error("a pool is shown, where there is none")
	}
	b.clean("file://")
	s := sample(1, 1)
	s.Pools = s.Pools[2:]
	b = visit(t, s)
	b.wants("map-about", "No map")
	b.clean("file://")
	s.Pools[0].Walked = true
	b = visit(t, s)
	b.wants("map-about", "no memory now")
	b.clean("file://")
}
