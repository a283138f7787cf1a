package browser

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/poolgen/poolgen/internal/poolpage"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolz"
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
	eval[bool](b, `[...document.querySelectorAll("#pools button")].find((n) => n.textContent === "scene.Index").click() || true`)
	b.wait(`document.getElementById("pool-title").textContent === "scene.Index" && document.getElementById("map").ariaLabel.includes("scene.Index")`)
	for _, scheme := range []string{"dark", "light"} {
		b.scheme(scheme)
		b.picture("live-" + scheme)
	}
	b.scheme("dark")
	b.do(chromedp.EmulateViewport(360, 780))
	b.picture("live-narrow")
	b.clean(address)
}

// sampleLimits are limits of a program that shares a budget with another one, and has a memory limit.
var sampleLimits = poolpage.Limits{
	Memory: &poolrt.GovernInfo{Limit: 1 << 30, Pools: 600 << 20, GoLimit: 372 << 20, Adjusted: 3, Pressed: 1, Given: 5 << 20},
	Budgets: []poolpage.HostBudget{{Name: "Frames", Limit: 64 << 20, Processes: []poolrt.BudgetProcess{
		{Program: "example.com/decode", PID: 17, Own: true, Leased: 24 << 20, Given: 8 << 20},
		{Program: "example.com/decode", PID: 18, Leased: 40 << 20, Wanted: 3 << 20},
	}}},
}

// The page shows who has what of a budget of several processes, and what the memory limit leaves.
func TestLimitsAreShown(t *testing.T) {
	b, s := open(t), &poolrt.Snapshot{}
	address := scripted(t, func() *poolrt.Snapshot { return s }, func([]string) *poolrt.Snapshot { return s })
	b.do(chromedp.Navigate(address))
	b.wait(`document.querySelectorAll("#limits .budget").length === 2`)
	text := eval[string](b, `document.getElementById("limits").textContent`)
	for _, want := range []string{
		"Budget Frames on this host 2 processes with 64 MiB of 64 MiB", "this one 24 MiB, gave 8 MiB; example.com/decode (18) 40 MiB, waits for 3 MiB",
		"Memory limit 1 GiB: host pools hold 600 MiB, Go may use 372 MiB", "Go's limit was set 3 times; memory was short once, and pools gave back 5 MiB",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	b.fits()
	b.clean(address)
}

// scripted serves the page with answers of the test instead of the program, and returns its address.
func scripted(t *testing.T, figures func() *poolrt.Snapshot, snapshot func(names []string) *poolrt.Snapshot) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		switch r.URL.Path {
		case "/figures":
			s, all := figures(), []poolrt.PoolInfo{}
			for _, p := range s.Pools {
				all = append(all, p.PoolInfo)
			}
			err = poolpage.WriteFigures(w, s.Time, s.Program, all, sampleLimits)
		case "/snapshot":
			err = poolpage.WriteSnapshot(w, snapshot(r.URL.Query()["pool"]))
		default:
			poolz.Handler().ServeHTTP(w, r)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// of returns the part of a snapshot about some pools.
func of(s *poolrt.Snapshot, names []string) *poolrt.Snapshot {
	some := *s
	some.Pools = slices.DeleteFunc(slices.Clone(s.Pools), func(p poolrt.PoolSnapshot) bool { return !slices.Contains(names, p.Name) })
	return &some
}

// The page lists pending frees of all pools, including those that are not selected.
func TestLiveStreams(t *testing.T) {
	s := sample(1, 2)
	s.Pools[1].Pending = []poolrt.PendingFrees{{Stream: 11, Device: 1, Blocks: 5, Bytes: 777}}
	address := scripted(t, func() *poolrt.Snapshot { return s }, func(names []string) *poolrt.Snapshot { return of(s, names) })
	b := open(t)
	b.do(chromedp.EmulateViewport(1280, 900, chromedp.EmulateScale(2)), chromedp.Navigate(address))
	b.wait(`document.querySelectorAll("#streams tbody tr").length === 3`)
	b.wants("streams", "scene.Texture", "scene.Vertex", "777 B")
	b.wants("streams-about", "15 blocks of scene.Texture at ", "5 blocks of scene.Vertex at ", "(now ")
	b.picture("streams")
	b.clean(address)
}

// The heading of the pending frees sums up the rows below it, and says what is newer.
func TestLiveStreamsOfOneTime(t *testing.T) {
	s := sample(1, 1)
	s.Pools = s.Pools[:1]
	s.Pools[0].Stats.Pending = 15
	var waiting atomic.Int64
	waiting.Store(15)
	address := scripted(t, func() *poolrt.Snapshot {
		now := of(s, []string{s.Pools[0].Name})
		now.Pools[0].Stats.Pending = waiting.Load()
		return now
	}, func(names []string) *poolrt.Snapshot { return of(s, names) })
	b := open(t)
	b.do(chromedp.Navigate(address))
	eval[bool](b, `interval.value = "250", interval.dispatchEvent(new Event("change"))`)
	const about = `document.getElementById("streams-about").textContent`
	b.wait(about + `.startsWith("15 blocks of scene.Texture at ") && !` + about + `.includes("now")`)
	waiting.Store(1)
	b.wait(about + `.startsWith("15 blocks of scene.Texture at ") && ` + about + `.endsWith(" (now 1)")`)
	b.wait(`document.querySelectorAll("#streams tbody tr").length === 2`)
	waiting.Store(0)
	b.wait(about + ` === "" && document.getElementById("streams").textContent === "No free is pending."`)
	b.clean(address)
}

// Axes have several labels, all of them round.
func TestLiveAxes(t *testing.T) {
	s := sample(1, 1)
	s.Pools = s.Pools[:1]
	f := &s.Pools[0].Stats
	f.LiveBytes, f.Reserved, f.Failures = 700<<20, 1<<30+5, 47
	var polls atomic.Int64
	address := scripted(t, func() *poolrt.Snapshot {
		now := of(s, []string{s.Pools[0].Name})
		n := polls.Add(1)
		now.Time = at.Add(time.Duration(n) * time.Second)
		now.Pools[0].Stats.Allocs = 1700 * n
		return now
	}, func(names []string) *poolrt.Snapshot { return of(s, names) })
	b := open(t)
	b.do(chromedp.Navigate(address))
	eval[bool](b, `interval.value = "250", interval.dispatchEvent(new Event("change"))`)
	b.wait(`Number(document.getElementById("series").dataset.samples) >= 2`)
	got := eval[[]string](b, `[...document.querySelectorAll("#series .plot")].map((p) => [...p.querySelectorAll(".tick")].map((t) => t.textContent).join(" "))`)
	want := []string{"0 B 512 MiB 1 GiB 1.5 GiB", "0 1,000 2,000", "0 20 40 60"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	b.clean(address)
}

// The last pool may be closed while the page requests its map.
func TestLivePoolGoes(t *testing.T) {
	s := sample(1, 1)
	s.Pools = s.Pools[:1]
	s.Pools[0].Stats.Pending = 0
	var gone atomic.Bool
	asked, goOn := make(chan bool), make(chan bool)
	answer := sync.OnceFunc(func() { close(goOn) })
	address := scripted(t, func() *poolrt.Snapshot {
		if gone.Load() {
			return of(s, nil)
		}
		return s
	}, func([]string) *poolrt.Snapshot {
		close(asked)
		<-goOn
		return of(s, nil)
	})
	b := open(t)
	t.Cleanup(answer) // before the server waits for it
	b.do(chromedp.Navigate(address))
	eval[bool](b, `interval.value = "60000", interval.dispatchEvent(new Event("change"))`)
	<-asked
	gone.Store(true)
	b.wait(`(pause.click(), pause.click(), document.getElementById("pools").innerText.includes("No pool"))`) // repeatedly: the page sends no request while it waits for an answer
	eval[bool](b, `new MutationObserver(() => { window.bad ||= document.getElementById("status").className.includes("bad") })
		.observe(document.getElementById("status"), { attributes: true }), true`)
	answer()
	b.wait(`performance.getEntriesByType("resource").some((e) => e.name.includes("/snapshot") && e.responseEnd > 0)`)
	b.waitFrames()
	if eval[bool](b, "window.bad === true") {
		t.Error(b.text("status"))
	}
	b.clean(address)
}

// Two pools of one name keep their identities, also before the page has requested their maps.
func TestLivePoolsOfOneName(t *testing.T) {
	s := sample(1, 1)
	s.Pools = []poolrt.PoolSnapshot{s.Pools[1], s.Pools[1]}
	goOn := make(chan bool)
	address := scripted(t, func() *poolrt.Snapshot { return s }, func(names []string) *poolrt.Snapshot {
		<-goOn
		return of(s, names)
	})
	b := open(t)
	b.do(chromedp.Navigate(address))
	b.wait(`document.querySelectorAll("#pools button").length === 2`)
	eval[bool](b, `document.querySelectorAll("#pools button")[1].click(), true`)
	const label = `document.getElementById("map").ariaLabel`
	if got := eval[string](b, label); !strings.HasPrefix(got, "Memory map of scene.Vertex (2): No snapshot yet") {
		t.Errorf("the map is called %q", got)
	}
	close(goOn)
	b.wait(label + `.includes("scene.Vertex (2): 1 chunk")`)
	b.clean(address)
}
