package poolz

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOnlyHosts: a request of a page of another site, whose own name leads to the loopback, is refused at
// each address, and by other handlers of the mux.
func TestOnlyHosts(t *testing.T) {
	used(t)
	mux := http.NewServeMux()
	mux.Handle("/debug/poolz/", Handler())
	mux.HandleFunc("/debug/vars", func(http.ResponseWriter, *http.Request) {})
	local, named := OnlyHosts(mux), OnlyHosts(mux, "Ops.internal", "[fd00::1]:6060", "::2")
	for _, test := range []struct {
		host         string
		local, named bool
	}{
		{"localhost", true, false}, {"LOCALHOST:6060", true, false}, {"127.0.0.1:6060", true, false},
		{"[::1]:6060", true, false}, {"[::1]", true, false},
		{"ops.internal", false, true}, {"OPS.internal:80", false, true}, {"[fd00::1]", false, true},
		{"[fd00::1]:1", false, true}, {"[::2]:6060", false, true},
		{"rebound.example:6060", false, false}, {"rebound.example", false, false},
		{"localhost.rebound.example", false, false}, {"127.0.0.1.rebound.example:6060", false, false},
		{"localhost@rebound.example", false, false},
		{"", false, false}, {":6060", false, false}, {"[]", false, false},
	} {
		ask := func(h http.Handler, path string, answered bool) {
			r := httptest.NewRequest(http.MethodGet, "/debug/"+path, nil)
			r.Host = test.host
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			want, told := http.StatusForbidden, w.Body.String()
			if answered {
				want = http.StatusOK
			}
			if w.Code != want || !answered && (strings.Contains(told, "scene") || strings.Contains(told, "rebound")) {
				t.Errorf("Host %q, %s: %d, want %d: %.200s", test.host, path, w.Code, want, told)
			}
		}
		for _, path := range strings.Fields("poolz/ poolz/figures poolz/snapshot poolz/download poolz/heap vars") {
			ask(mux, path, true)
			ask(local, path, test.local)
			ask(named, path, test.named)
		}
	}
}
