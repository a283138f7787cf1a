package poolz

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/generated_examples/scene"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// ask sends a request to a handler.
func ask(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// used makes two pools with a live block each.
func used(t *testing.T) {
	t.Helper()
	index, vertex := new(scene.IndexPool), new(scene.VertexPool)
	if _, err := index.Alloc(250); err != nil {
		t.Fatal(err)
	}
	if _, err := vertex.Alloc(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.CloseForce(); err != nil {
			t.Error(err)
		}
		if err := vertex.CloseForce(); err != nil {
			t.Error(err)
		}
	})
}

// seen is the part of the JSON that the tests check.
type seen struct {
	Program string
	Pools   []struct {
		Name   string
		Walked bool
		Stats  poolrt.Stats
		Chunks []struct{ Addr string }
	}
}

func (s seen) names() string {
	var names []string
	for _, p := range s.Pools {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

func see(t *testing.T, w *httptest.ResponseRecorder) (s seen) {
	t.Helper()
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d, %v", w.Code, w.Header())
	}
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	return s
}

// TestRegistered: importing the package registers the page with the default HTTP server.
func TestRegistered(t *testing.T) {
	w := ask(http.DefaultServeMux, http.MethodGet, "/debug/poolz/")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || !strings.HasPrefix(w.Body.String(), "<!doctype html>") {
		t.Errorf("%d, %v", w.Code, w.Header())
	}
	if w := ask(http.DefaultServeMux, http.MethodGet, "/debug/poolz/figures"); w.Code != http.StatusOK {
		t.Errorf("figures: %d", w.Code)
	}
}

func TestFigures(t *testing.T) {
	used(t)
	s := see(t, ask(Handler(), http.MethodGet, "/pools/figures"))
	if s.names() != "scene.Index scene.Vertex" || s.Pools[0].Stats.LiveBytes != 1000 || s.Program == "" || s.Pools[0].Chunks != nil {
		t.Errorf("%+v", s)
	}
}

func TestSnapshot(t *testing.T) {
	used(t)
	for query, want := range map[string]string{
		"": "scene.Index scene.Vertex", "?pool=scene.Vertex": "scene.Vertex", "?pool=scene.Vertex&pool=scene.Index": "scene.Index scene.Vertex", "?pool=Vertex": "scene.Vertex",
	} {
		s := see(t, ask(Handler(), http.MethodGet, "/snapshot"+query))
		if s.names() != want {
			t.Errorf("%s: %s, want %s", query, s.names(), want)
		}
		for _, p := range s.Pools {
			if !p.Walked || len(p.Chunks) != 1 || !strings.HasPrefix(p.Chunks[0].Addr, "0x") {
				t.Errorf("%s: %+v", query, p)
			}
		}
	}
}

// TestUnknownPool: the response to a name that no pool has lists the names that there are.
func TestUnknownPool(t *testing.T) {
	used(t)
	for _, target := range []string{"/snapshot?pool=", "/snapshot?pool=x", "/snapshot?pool=ertex", "/snapshot?pool=Vertex&pool=x", "/download?pool=x"} {
		w := ask(Handler(), http.MethodGet, target)
		if w.Code != http.StatusNotFound || !strings.HasPrefix(w.Body.String(), "there is no pool of that name; there is scene.Index, scene.Vertex") {
			t.Errorf("%s: %d, %s", target, w.Code, w.Body)
		}
	}
}

func TestDownload(t *testing.T) {
	used(t)
	w := ask(Handler(), http.MethodGet, "/download?pool=scene.Index")
	s, err := poolrt.ReadSnapshot(w.Body)
	if err != nil || len(s.Pools) != 1 || s.Pools[0].Name != "scene.Index" {
		t.Errorf("%v, %+v", err, s)
	}
	if h := w.Header(); h.Get("Content-Type") != "application/gzip" || h.Get("Content-Disposition") != `attachment; filename="pools.snapshot"` {
		t.Errorf("%v", h)
	}
}

// TestNoProfile: if no pool has a profile, pprof gets one without samples, in the form of that of Go's heap, so that it can still merge the two.
func TestNoProfile(t *testing.T) {
	used(t)
	w := ask(Handler(), http.MethodGet, "/heap")
	if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, "inuse_space") || strings.Contains(body, "scene.") {
		t.Errorf("%d, %q", w.Code, body)
	}
}

// TestHeaders: each response has the headers of guards and its content type.
func TestHeaders(t *testing.T) {
	for address, a := range answers {
		h := ask(Handler(), http.MethodGet, "/pools/"+address).Header()
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "frame-ancestors 'none'",
			"Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer", "Content-Type": a.kind,
		} {
			if h.Get(name) != want {
				t.Errorf("%q: %s is %q, want %q", address, name, h.Get(name), want)
			}
		}
	}
}

// TestMethods: only GET and HEAD are allowed, and HEAD takes no snapshot.
func TestMethods(t *testing.T) {
	for address := range answers {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions, http.MethodConnect, http.MethodTrace, "get", "X"} {
			if w := ask(Handler(), method, "/"+address); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %q: %d, %v", method, address, w.Code, w.Header())
			}
		}
	}
	turn <- struct{}{} // a request that took a snapshot would not return
	defer func() { <-turn }()
	for address := range answers {
		if w := ask(Handler(), http.MethodHead, "/"+address); w.Code != http.StatusOK || w.Body.Len() != 0 {
			t.Errorf("HEAD %q: %d with %d bytes", address, w.Code, w.Body.Len())
		}
	}
}

// TestQueriesAreNotReflected: no response contains text of the request.
func TestQueriesAreNotReflected(t *testing.T) {
	used(t)
	const hostile = "<script>alert(1)</script>"
	for _, target := range []string{"/", "/figures", "/snapshot", "/download", "/none"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			w := ask(Handler(), method, target+"?pool="+url.QueryEscape(hostile)+"&"+url.QueryEscape(hostile)+"=1")
			if bytes.Contains(w.Body.Bytes(), []byte("alert(1)")) {
				t.Errorf("%s %s: %s", method, target, w.Body)
			}
		}
	}
	if w := ask(Handler(), http.MethodGet, "/"+url.PathEscape(hostile)); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "alert") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

// TestMounted: the handler works below any path.
func TestMounted(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/a/", Handler())
	mux.Handle("/b/", http.StripPrefix("/b", Handler()))
	mux.Handle("/c/", http.StripPrefix("/c/", Handler()))
	for path, want := range map[string]int{"/a/": 200, "/a/figures": 200, "/b/": 200, "/b/figures": 200, "/c/": 200, "/c/snapshot": 200, "/a/other": 404, "/b/other": 404} {
		if w := ask(mux, http.MethodGet, path); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}

// TestOneSnapshotAtATime: one snapshot is taken at a time, and a client that has gone away does not wait.
func TestOneSnapshotAtATime(t *testing.T) {
	used(t)
	turn <- struct{}{}
	ctx, cancel := context.WithCancel(context.Background())
	gone, waiting := make(chan int), make(chan int)
	send := func(ctx context.Context, status chan int) {
		w := httptest.NewRecorder()
		Handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/snapshot", nil))
		status <- w.Code
	}
	go send(ctx, gone)
	go send(context.Background(), waiting)
	cancel()
	if got := <-gone; got != http.StatusServiceUnavailable {
		t.Errorf("a client that has gone away got %d", got)
	}
	select {
	case got := <-waiting:
		t.Errorf("%d before its turn", got)
	default:
	}
	<-turn
	if got := <-waiting; got != http.StatusOK {
		t.Errorf("in its turn: %d", got)
	}
}
