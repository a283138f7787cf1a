package poolz

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/internal/poolpage"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Handler serves the page and what it asks for, below whatever path it is given, which ends in a slash:
//
//	mux.Handle("/pools/", poolz.Handler())
//
//	/pools/            the page
//	/pools/figures     JSON: what poolrt.Pools says; the page asks for it once a second, or as often as is chosen there, while it is seen
//	/pools/snapshot    JSON: what the map shows, of all pools, or of those of a name, with the package or without, ?pool=a&pool=b;
//	                   404 if there is none of a name
//	/pools/download    the same as a file that poolgen snapshot and poolrt.ReadSnapshot read
//
// It answers GET and HEAD, and is safe for concurrent use. figures costs what Pools costs, snapshot and download what poolrt.TakeSnapshot costs, of the pools asked
// for, and as much memory again for the answer, until whoever asked has read it: nobody else waits for one who reads slowly. One snapshot is taken at a time; other
// requests for one wait. How long a reader may take, and how many there may be, is up to the server (http.Server.WriteTimeout).
func Handler() http.Handler { return http.HandlerFunc(serve) }

// answer is what one address says. write is not called for HEAD, which so costs nothing.
type answer struct {
	kind  string // of its content
	name  string // of the file that it is to become
	write func(ctx context.Context, w io.Writer, names []string) error
}

// answers are those of the last part of the path.
var answers = map[string]answer{
	"":         {kind: "text/html; charset=utf-8", write: writePage},
	"figures":  {kind: "application/json", write: writeFigures},
	"snapshot": {kind: "application/json", write: writeSnapshot},
	"download": {kind: "application/gzip", name: "pools.snapshot", write: writeFile},
}

func serve(w http.ResponseWriter, r *http.Request) {
	a, found := answers[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]
	switch {
	case !found:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "pools can be looked at only", http.StatusMethodNotAllowed)
		return
	}
	var b bytes.Buffer
	if r.Method == http.MethodGet {
		if err := a.write(r.Context(), &b, r.URL.Query()["pool"]); err != nil {
			var unknown *noPool
			if errors.As(err, &unknown) {
				http.Error(w, unknown.Error(), http.StatusNotFound)
				return
			}
			http.Error(w, "the request ended before it had its turn", http.StatusServiceUnavailable)
			return
		}
	}
	for name, value := range guards {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", a.kind)
	if a.name != "" {
		w.Header().Set("Content-Disposition", `attachment; filename="`+a.name+`"`)
	}
	_, _ = b.WriteTo(w) // whoever asked may be gone
}

// guards keep answers out of caches, of other pages and of frames, and have them taken for what they say that they are.
var guards = map[string]string{
	"Cache-Control":                "no-store",
	"X-Content-Type-Options":       "nosniff",
	"Content-Security-Policy":      "frame-ancestors 'none'", // the page itself has the rest of it
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
}

func writePage(_ context.Context, w io.Writer, _ []string) error { return poolpage.WriteLive(w) }

func writeFigures(_ context.Context, w io.Writer, _ []string) error {
	none := poolrt.TakeSnapshotNamed() // for the time and the program alone
	return poolpage.WriteFigures(w, none.Time, none.Program, poolrt.Pools())
}

func writeSnapshot(ctx context.Context, w io.Writer, names []string) error {
	return taken(ctx, names, func(s *poolrt.Snapshot) error { return poolpage.WriteSnapshot(w, s) })
}

func writeFile(ctx context.Context, w io.Writer, names []string) error {
	return taken(ctx, names, func(s *poolrt.Snapshot) error { return s.Write(w) })
}

// turn is whose snapshot is being taken. So any number of requests take up the memory of one snapshot, besides the answers that are on their way.
var turn = make(chan struct{}, 1)

// taken gives a snapshot of all pools, or of those of some names, to whom writes it.
func taken(ctx context.Context, names []string, write func(*poolrt.Snapshot) error) error {
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-turn }()
	if len(names) > 0 {
		full, err := fullNames(names)
		if err != nil {
			return err
		}
		return write(poolrt.TakeSnapshotNamed(full...))
	}
	return write(poolrt.TakeSnapshot())
}

// noPool is the answer to a name that no pool has. It does not say the name, which is a stranger's.
type noPool struct{ names []string }

func (n *noPool) Error() string {
	if len(n.names) == 0 {
		return "there is no pool of that name: the program has used none so far"
	}
	return "there is no pool of that name; there is " + strings.Join(n.names, ", ")
}

// fullNames are the names of the pools that have one of these, with their package or without.
func fullNames(names []string) (full []string, err error) {
	pools := poolrt.Pools()
	for _, name := range names {
		found := false
		for i := range pools {
			if pools[i].Named(name) {
				full, found = append(full, pools[i].Name), true
			}
		}
		if !found {
			return nil, &noPool{namesOf(pools)}
		}
	}
	return full, nil
}

// namesOf lists the names of pools, each once.
func namesOf(pools []poolrt.PoolInfo) (all []string) {
	for i := range pools {
		all = append(all, pools[i].Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
