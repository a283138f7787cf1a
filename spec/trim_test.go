package spec

import (
	"strings"
	"testing"
)

func TestTrimWhen(t *testing.T) {
	for _, test := range []struct {
		trim, text string // text: as explain prints it
		err        string
		onFree     bool
	}{
		{"{keep: 1MiB}", "{keep: 1MiB, idle: 0s}", "", true},
		{"{keep: 1MiB, when: free}", "{keep: 1MiB, idle: 0s}", "", true},
		{"{when: growth}", "{keep: 0B, when: growth}", "", false},
		{"{keep: 1MiB, when: growth}", "{keep: 1MiB, when: growth}", "", false},
		{"none", "none", "", false},
		{"never", "", `f:3:21: PG011: pool "P": trim is a block of keys, and this is a value`, false},
		{"{when: grow}", "", `f:3:28: PG012: pool "P": when "grow" is not known`, false},
		{"{when: growth, idle: 1s}", "", `f:3:42: PG030: pool "P": trim when growth does not wait for chunks to have been empty for a while`, false},
	} {
		doc, found := Load("f", []byte("version: 1\npools:\n  - {name: P, trim: "+test.trim+"}\n"))
		if doc == nil {
			t.Fatal(found)
		}
		plan, found := doc.Validate(Env{Dir: "p"})
		if test.err != "" {
			if len(found) != 1 || !strings.HasPrefix(found[0].Error(), test.err) {
				t.Errorf("%s: got %v, want %s", test.trim, found, test.err)
			}
			continue
		}
		if len(found) > 0 {
			t.Errorf("%s: %v", test.trim, found)
			continue
		}
		p := plan.Pools[0]
		if got := trimText(&p); got != test.text || p.TrimsOnFree() != test.onFree {
			t.Errorf("%s: %s, on frees %v", test.trim, got, p.TrimsOnFree())
		}
	}
	if (&Pool{}).TrimsOnFree() {
		t.Error("a pool without trim")
	}
}

// Where pages move, trim: {when: growth} is the default, and peak is that of across_streams; trim: none and the other keys have their say.
func TestTrimDefault(t *testing.T) {
	for _, test := range []struct {
		keys, trim string
		across     AcrossStreams
	}{
		{"allocator: device_virtual", "{keep: 0B, when: growth}", AcrossPeak},
		{"allocator: device_virtual; suballocator: binned", "{keep: 0B, when: growth}", AcrossPeak},
		{"allocator: device_virtual; suballocator: classes; concurrency: none", "{keep: 0B, when: growth}", AcrossPeak},
		{"allocator: device_virtual; ordering: sync", "{keep: 0B, when: growth}", ""},
		{"allocator: device_virtual; across_streams: limit", "{keep: 0B, when: growth}", AcrossLimit},
		{"allocator: device_virtual; trim: none", "none", AcrossLimit},
		{"allocator: device_virtual; trim: {keep: 1MiB}", "{keep: 1MiB, idle: 0s}", AcrossLimit},
		{"allocator: device_virtual; concurrency: sharded", "{keep: 0B, when: growth}", AcrossPeak},
		{"allocator: device_virtual; shareable: true", "none", AcrossLimit},
		{"allocator: device_virtual; suballocator: ring", "none", AcrossLimit},
		{"allocator: device_virtual; item: float32", "none", AcrossLimit},
		{"allocator: device", "none", AcrossLimit},
		{"allocator: host", "none", ""},
	} {
		doc, _ := Load("f", []byte("version: 1\npools:\n  - {name: P, "+strings.ReplaceAll(test.keys, ";", ",")+"}\n"))
		plan, found := doc.Validate(Env{Dir: "p"})
		if len(found) > 0 {
			t.Fatalf("%s: %v", test.keys, found)
		}
		p := plan.Pools[0]
		if got := trimText(&p); got != test.trim || p.AcrossStreams != test.across {
			t.Errorf("%s: trim: %s, across_streams: %q; want %s, %q", test.keys, got, p.AcrossStreams, test.trim, test.across)
		}
	}
}
