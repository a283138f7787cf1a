package replay

import (
	"go/format"
	"reflect"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay/harness"
	"github.com/poolgen/poolgen/spec"
)

func TestAdapterIsFormatted(t *testing.T) {
	bytes := spec.Item{Kind: spec.ItemBytes, Type: "byte", Size: 1}
	plan := &spec.Plan{Imports: []spec.Import{{Qualifier: "mesh", Path: "example.com/mesh"}, {Qualifier: "other", Path: "example.com/other"}}}
	pools := []spec.Pool{
		{Name: "A", Allocator: spec.Host, Suballocator: spec.Heap, Item: bytes},
		{Name: "B", Allocator: spec.Host, Suballocator: spec.Fixed, Item: bytes, BlockSize: 100},
		{Name: "C", Allocator: spec.DeviceMemory, Suballocator: spec.Heap, Item: bytes, Ordering: spec.Stream, Device: spec.Device{Kind: spec.NumberedDevice, Index: 1}},
		{Name: "D", Allocator: spec.DeviceMemory, Suballocator: spec.Fixed, Item: spec.Item{Kind: spec.ItemUser, Type: "mesh.Vertex", Qualifier: "mesh", Size: -1}, Ordering: spec.Deferred},
	}
	source := adapter("p", "example.com/p/harness", plan, pools)
	formatted, err := format.Source(source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	if string(formatted) != string(source) {
		t.Errorf("got:\n%s\nwant:\n%s", source, formatted)
	}
	for _, want := range []string{
		"}, zzdriver.Name,", "type zzBlockB = *BBlock\n", "Item: uint64(100), Single: true", "type zzBlockA = []byte\n", "type zzBlockC = CSpan\n", "blocks []zzBlockC, streams []zzcuda.Stream)",
		"zzdriver.Streams(1, setup.Streams)", "pool.AllocOn(e.Items, streams[e.Stream])", "pool.FreeOn(b, streams[e.Stream])", "b.Len() == 0", "b == 0",
		"pool.Alloc()", "pool.FreeAsync(b, streams[e.Stream])", "zzunsafe.Sizeof(*new(mesh.Vertex))", `mesh "example.com/mesh"`,
	} {
		if !strings.Contains(string(source), want) {
			t.Errorf("no %q in\n%s", want, source)
		}
	}
	if strings.Contains(string(source), "other") || strings.Contains(string(source), "$") {
		t.Errorf("got:\n%s", source)
	}
	if host := string(adapter("p", "example.com/p/harness", plan, pools[:2])); strings.Contains(host, "zzdriver") {
		t.Errorf("a host pool has to do with the driver:\n%s", host)
	}
}

func TestRowOf(t *testing.T) {
	trace := &Trace{Name: "t.csv", lines: []int{2, 4, 5}}
	got := rowOf("P", trace, harness.Result{Counts: harness.Counts{Allocs: 2, PeakLive: 10, Failures: 1, FirstFailure: "no", FailedEvent: 1}, PeakReserved: 25, NSPerOp: 3, DriverNSPerOp: 1, DriverCalls: 5})
	want := Row{Pool: "P", Trace: "t.csv", Allocs: 2, Failures: 1, PeakLive: 10, PeakReserved: 25, Ratio: 2.5, NSPerOp: 3, PoolNSPerOp: 2, DriverNSPerOp: 1, DriverCalls: 5,
		FirstFailure: 4, Failure: `t.csv:4: pool "P": no`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := rowOf("P", trace, harness.Result{PeakReserved: 25}); got.Ratio != 0 {
		t.Errorf("ratio %v of nothing", got.Ratio)
	}
}

func TestUnfit(t *testing.T) {
	for _, test := range []struct {
		pool       spec.Pool
		goroutines int
		fit        bool
	}{
		{spec.Pool{Allocator: spec.Host, Suballocator: spec.Fixed}, 1, true},
		{spec.Pool{Allocator: spec.Host, Suballocator: spec.Ring}, 1, true},
		{spec.Pool{Allocator: spec.Pinned, Suballocator: spec.Heap}, 1, true},
		{spec.Pool{Allocator: spec.DeviceVirtual, Suballocator: spec.Heap}, 1, true},
		{spec.Pool{Allocator: spec.Host, Suballocator: spec.Bump}, 1, false},
		{spec.Pool{Allocator: spec.NoAllocator, Suballocator: spec.Heap}, 1, false},
		{spec.Pool{Allocator: spec.TextureTile, Suballocator: spec.Heap}, 1, false},
		{spec.Pool{Allocator: spec.Host, Suballocator: spec.Heap, Concurrency: spec.Unlocked}, 1, true},
		{spec.Pool{Allocator: spec.Host, Suballocator: spec.Heap, Concurrency: spec.Unlocked}, 2, false},
		{spec.Pool{Allocator: spec.Host, Suballocator: spec.Heap, Concurrency: spec.Sharded}, 2, true},
	} {
		if why := Unfit(&test.pool, test.goroutines); (why == "") != test.fit {
			t.Errorf("%s %s: %q", test.pool.Allocator, test.pool.Suballocator, why)
		}
	}
}

func TestUnwaitingLeavesThePlanAlone(t *testing.T) {
	plan := &spec.Plan{Pools: []spec.Pool{{Name: "P", OnExhausted: []spec.Rung{{Kind: spec.RungTrim}, {Kind: spec.RungWait}, {Kind: spec.RungError}}}}}
	got := Unwaiting(plan).Pools[0].OnExhausted
	if want := []spec.Rung{{Kind: spec.RungTrim}, {Kind: spec.RungError}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if len(plan.Pools[0].OnExhausted) != 3 {
		t.Error("the plan was changed")
	}
}
