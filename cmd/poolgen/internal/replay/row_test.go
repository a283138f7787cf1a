package replay

import (
	"go/format"
	"reflect"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay/harness"
	"github.com/poolgen/poolgen/spec"
)

func TestAdapterIsFormatted(t *testing.T) {
	source := adapter("p", "example.com/p/harness", []spec.Pool{
		{Name: "Spans", Suballocator: spec.Heap}, {Name: "It", Suballocator: spec.Fixed}})
	formatted, err := format.Source(source)
	if err != nil {
		t.Fatal(err)
	}
	// The keys of the map are aligned by gofmt alone; everything else is written as it should be.
	if len(formatted)-len(source) != len("Spans")-len("It") {
		t.Errorf("got:\n%s\nwant:\n%s", source, formatted)
	}
}

func TestRowOf(t *testing.T) {
	trace := &Trace{Name: "t.csv", lines: []int{2, 4, 5}}
	got := rowOf("P", trace, harness.Result{Allocs: 2, PeakLive: 10, PeakReserved: 25, NSPerOp: 3, Failures: 1, FirstFailure: "no", FailedEvent: 1})
	want := Row{Pool: "P", Trace: "t.csv", Allocs: 2, Failures: 1, PeakLive: 10, PeakReserved: 25, Ratio: 2.5, NSPerOp: 3, Failure: `t.csv:4: pool "P": no`}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := rowOf("P", trace, harness.Result{PeakReserved: 25}); got.Ratio != 0 {
		t.Errorf("ratio %v of nothing", got.Ratio)
	}
}

func TestUnfit(t *testing.T) {
	for _, test := range []struct {
		pool spec.Pool
		fit  bool
	}{
		{spec.Pool{Allocator: spec.Host, Suballocator: spec.Fixed}, true},
		{spec.Pool{Allocator: spec.Host, Suballocator: spec.Ring}, true},
		{spec.Pool{Allocator: spec.Pinned, Suballocator: spec.Heap}, true},
		{spec.Pool{Allocator: spec.Host, Suballocator: spec.Bump}, false},
		{spec.Pool{Allocator: spec.NoAllocator, Suballocator: spec.Heap}, false},
		{spec.Pool{Allocator: spec.DeviceMemory, Suballocator: spec.Heap}, false},
	} {
		if why := Unfit(&test.pool); (why == "") != test.fit {
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
