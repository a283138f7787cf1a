package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/poolgen/poolgen/tests/fatal"
)

// browsers are the names of suitable programs.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// tab is a page of the browser, with its console errors and its requests.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	faults   []string
	requests []string
}

// browser is the browser that all tests share, and the function that ends it.
var browser struct {
	once  sync.Once
	ctx   context.Context
	fault error
	end   []func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, end := range slices.Backward(browser.end) {
		end()
	}
	os.Exit(code)
}

// launch starts the browser.
func launch(path string) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // root must not use the sandbox
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, leave := chromedp.NewContext(ctx)
	browser.ctx, browser.end = ctx, []func(){stop, leave}
	browser.fault = chromedp.Do(ctx)
}

// open opens an empty tab, which is closed with the test.
func open(t *testing.T) *tab {
	t.Helper()
	at := slices.IndexFunc(browsers, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if at < 0 {
		const how = "no browser: apt-get install -y chromium"
		if os.Getenv("POOLGEN_BROWSER") == "required" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	browser.once.Do(func() { launch(browsers[at]) })
	if browser.fault != nil {
		t.Fatal(browser.fault)
	}
	b := &tab{t: t}
	var cancel context.CancelFunc
	b.ctx, cancel = chromedp.NewContext(browser.ctx)
	t.Cleanup(cancel)
	time.AfterFunc(2*time.Minute, cancel)
	fatal.If(t, chromedp.Listen(b.ctx, b.hear))
	if _, err := chromedp.Call(b.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(1280, 900))
	return b
}

// hear records the console errors of a page, and the address of each request.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, fmt.Sprintf("%s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		b.faults = append(b.faults, fmt.Sprintf("console.%s: %s", e.Type, e.Args[0].Value))
	case *log.EventEntryAdded:
		b.faults = append(b.faults, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	fatal.If(b.t, chromedp.Do(b.ctx, actions...))
}

// eval returns the value of a JavaScript expression; for a promise, its result.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// wait waits until an expression is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	for end := time.Now().Add(20 * time.Second); !eval[bool](b, expression); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.t.Fatalf("not so after 20 s: %s; faults %q", expression, b.faults)
		}
	}
}

// text returns the text of an element.
func (b *tab) text(id string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf("document.getElementById(%q).innerText", id))
}

// waitFrames waits for two frames: then all pending changes are drawn.
func (b *tab) waitFrames() {
	b.t.Helper()
	eval[bool](b, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
}

// scheme sets the preferred colour scheme, dark or light.
func (b *tab) scheme(name string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

// picture writes a screenshot of the whole page.
func (b *tab) picture(name string) {
	b.t.Helper()
	b.waitFrames()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	fatal.If(b.t, err)
	dir := filepath.Join("..", "..", ".build", "page")
	fatal.If(b.t, os.MkdirAll(dir, 0o755))
	fatal.If(b.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// clean checks that a page has no console errors, requests only addresses with one of some prefixes, and does not overflow to the side.
func (b *tab) clean(own ...string) {
	b.t.Helper()
	b.mu.Lock()
	faults, requests := slices.Clone(b.faults), slices.Clone(b.requests)
	b.mu.Unlock()
	for _, fault := range faults {
		b.t.Error(fault)
	}
	if len(requests) == 0 {
		b.t.Error("no request was recorded, not even that for the page")
	}
	for _, address := range requests {
		if !slices.ContainsFunc(append(own, "data:image/"), func(prefix string) bool { return strings.HasPrefix(address, prefix) }) {
			b.t.Errorf("requested %s", address)
		}
	}
	b.fits()
}

// fits checks that nothing reaches beyond the right edge.
func (b *tab) fits() {
	b.t.Helper()
	if over := eval[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
		b.t.Errorf("the page is %d pixels wider than its window; %s", over, eval[string](b, `[...document.querySelectorAll("body *")].filter((n) => n.getBoundingClientRect().right > innerWidth).map((n) => n.outerHTML.slice(0, 90)).join("\n")`))
	}
}
