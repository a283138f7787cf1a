package bench

import (
	"go/format"
	"math"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
)

func TestAdapterIsFormatted(t *testing.T) {
	item := spec.Item{Kind: spec.ItemBuiltin, Type: "uint64", Size: 8}
	user := spec.Item{Kind: spec.ItemUser, Type: "mesh.Vertex", Qualifier: "mesh", Size: -1}
	plan := &spec.Plan{
		Imports: []spec.Import{{Qualifier: "mesh", Path: "example.com/mesh"}, {Qualifier: "other", Path: "example.com/other"}},
		Budgets: []spec.Budget{{Name: "All", Limit: 1 << 20}},
	}
	pools := []spec.Pool{
		{Name: "A", Suballocator: spec.Heap, Allocator: spec.Host, Item: item, Limit: math.MaxInt64, Budget: "All"},
		{Name: "B", Suballocator: spec.Fixed, Allocator: spec.DeviceMemory, Item: user, Ordering: spec.Stream, Limit: 5},
		{Name: "C", Suballocator: spec.Ring, Allocator: spec.DeviceMemory, Item: item, Ordering: spec.Deferred},
		{Name: "D", Suballocator: spec.Bump, Allocator: spec.Host, Item: item, Concurrency: spec.Unlocked},
		{Name: "E", Suballocator: spec.Heap, Allocator: spec.NoAllocator, Item: spec.Item{Kind: spec.ItemNumber, Size: 1}, Limit: math.MaxInt64},
		{Name: "F", Suballocator: spec.Fixed, Allocator: spec.Host, Item: spec.Item{Kind: spec.ItemBytes, Type: "byte", Size: 1}, BlockSize: 100},
	}
	source := string(adapter("p", "example.com/p/harness", plan, pools))
	formatted, err := format.Source([]byte(source))
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	if string(formatted) != source {
		t.Errorf("got:\n%s\nwant:\n%s", source, formatted)
	}
	for _, want := range []string{
		"mesh \"example.com/mesh\"", "Item: 8, Granule: 16, Chunk: 0, Limit: 1048576,", "Item: int64(zzunsafe.Sizeof(*new(mesh.Vertex)))", "Order: zzharness.InOrder",
		"Order: zzharness.AllAtOnce, Alone: true", "pool.Track(0, 1048576)", "zzharness.New[[100]byte]", "zzharness.Make[uint64], zzdriver.Peers(\"device\", 0)",
		"pool.AllocOn(stream)", "pool.FreeOn(blocks[s.Slot], stream)", "pool.FreeAsync(blocks[s.Slot], stream)", "}, zzdriver.Name,",
	} {
		if !strings.Contains(source, want) {
			t.Errorf("no %q in\n%s", want, source)
		}
	}
	if strings.Contains(source, "other") || strings.Contains(source, "$") {
		t.Errorf("got:\n%s", source)
	}
}

// The harness knows each order in which blocks of some suballocator are freed.
func TestOrders(t *testing.T) {
	for _, s := range spec.Suballocators() {
		if order := s.Info().Order; orders[order] == "" {
			t.Errorf("%s: the harness does not know how to free blocks %s", s, order)
		}
	}
}

func TestRatio(t *testing.T) {
	r := Result{}
	r.Rows = []Row{{Who: Pool, NS: 4}, {Who: "new", NS: 10}, {Who: "malloc", NS: 7}}
	r.Rows[2].Live = 5
	r.Rows = append(r.Rows, Row{Who: Pool}, Row{Who: "new", NS: 3}) // too quick for the clock
	r.Rows[3].Live, r.Rows[4].Live = 9, 9
	for i, want := range []float64{1, 2.5, 0, 0, 0} {
		if got := r.Ratio(r.Rows[i]); got != want {
			t.Errorf("row %d: %v", i, got)
		}
	}
}
