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
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// Handler returns a handler for the page and the data of the page. The program chooses the path, which must end in a slash:
//
//	mux.Handle("/pools/", poolz.Handler())
//
// The handler answers GET and HEAD requests for five addresses:
//
//	/pools/            the page
//	/pools/figures     JSON: what poolrt.Pools returns
//	/pools/snapshot    JSON: a snapshot of all pools
//	/pools/download    the snapshot as a file for poolgen snapshot and poolrt.ReadSnapshot
//	/pools/heap        what poolrt.WriteAllocProfile writes, for go tool pprof: empty if no pool is sampled
//
// The page requests figures once a second while the page is visible, or as often as its user chooses. A snapshot can be limited to named pools, with their package or
// without: ?pool=Vertex&pool=scene.Index. If there is no pool of a name, the status is 404.
//
// Safe for concurrent use. A request for figures costs what [poolrt.Pools] costs. A request for a snapshot costs what [poolrt.TakeSnapshot] costs for these pools, and
// as much memory again for the response until the client has read it. The handler takes one snapshot at a time, and other requests for a snapshot wait; no request
// waits for a client that reads slowly. The server limits the number of clients and the time to write a response: see WriteTimeout of http.Server.
func Handler() http.Handler { return http.HandlerFunc(serve) }

// answer is the response at one address. HEAD requests do not call write.
type answer struct {
	kind  string // content type
	name  string // name of the file for a download, or empty
	write func(ctx context.Context, w io.Writer, names []string) error
}

// answers has the responses by the last part of the path.
var answers = map[string]answer{
	"":         {kind: "text/html; charset=utf-8", write: writePage},
	"figures":  {kind: "application/json", write: writeFigures},
	"snapshot": {kind: "application/json", write: writeSnapshot},
	"download": {kind: "application/gzip", name: "pools.snapshot", write: writeFile},
	"heap":     {kind: "application/octet-stream", name: "pools.pb", write: writeProfile},
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
	_, _ = b.WriteTo(w) // fails if the client has gone away
}

// guards are headers that keep responses out of caches, out of other pages and out of frames, and browsers from guessing the content type.
var guards = map[string]string{
	"Cache-Control":                "no-store",
	"X-Content-Type-Options":       "nosniff",
	"Content-Security-Policy":      "frame-ancestors 'none'", // the page has the rest of the policy
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
}

func writePage(_ context.Context, w io.Writer, _ []string) error { return poolpage.WriteLive(w) }

func writeFigures(_ context.Context, w io.Writer, _ []string) error {
	none := poolrt.TakeSnapshotNamed() // for the time and the program alone
	return poolpage.WriteFigures(w, none.Time, none.Program, poolrt.Pools(), limits())
}

// limits returns what holds for pools of several processes, and for the whole program.
func limits() (l poolpage.Limits) {
	if i, ok := poolrt.Governing(); ok {
		l.Memory = &i
	}
	for _, b := range poolrt.HostBudgets() {
		shown := poolpage.HostBudget{Name: b.Name(), Limit: b.Limit()}
		list, err := b.Processes()
		if shown.Processes = list; err != nil {
			shown.Failure = err.Error()
		}
		l.Budgets = append(l.Budgets, shown)
	}
	return l
}

func writeSnapshot(ctx context.Context, w io.Writer, names []string) error {
	return taken(ctx, names, func(s *poolrt.Snapshot) error { return poolpage.WriteSnapshot(w, s) })
}

func writeFile(ctx context.Context, w io.Writer, names []string) error {
	return taken(ctx, names, func(s *poolrt.Snapshot) error { return s.Write(w) })
}

func writeProfile(_ context.Context, w io.Writer, _ []string) error {
	err := poolrt.WriteAllocProfile(w)
	if errors.Is(err, poolrt.ErrUnsupported) {
		return trace.WriteProfile(w, trace.Heap, nil)
	}
	return err
}

// turn holds an element while a snapshot is taken. All requests together use the memory of one snapshot, besides the responses that are being sent.
var turn = make(chan struct{}, 1)

// taken takes a snapshot of all pools, or of those with the given names, and calls write with it.
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

// noPool is the error for a name that no pool has. Its text does not quote the name, which comes from the client.
type noPool struct{ names []string }

func (n *noPool) Error() string {
	if len(n.names) == 0 {
		return "there is no pool of that name: the program has used none so far"
	}
	return "there is no pool of that name; there is " + strings.Join(n.names, ", ")
}

// fullNames returns the full names of the pools that have one of the given names, with their package or without.
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

// namesOf returns the names of pools in order, each once.
func namesOf(pools []poolrt.PoolInfo) (all []string) {
	for i := range pools {
		all = append(all, pools[i].Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
