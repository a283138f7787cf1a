package spec

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A list is legal if its allocators hand out the same Go types, and with keys that one of them takes.
func TestListsOfAllocators(t *testing.T) {
	const foo = `pool "Foo": `
	for _, test := range []struct{ keys, want string }{
		{"allocator: [device, device_async, device_pool, device_virtual]", ""},
		{"allocator: [custom, managed, host, pinned]; alloc: a; free: f", ""},
		{"allocator: [host, managed]", ""},
		{"allocator: [host, managed]; pinned_flags: portable", "5:19: PG029: " + foo + "pinned_flags does not apply to allocator [host, managed]"},
		{"allocator: [host, pinned]; pinned_flags: portable", ""},
		{"allocator: [host, pinned]; ordering: stream", ""},
		{"allocator: [host, pinned]; on_exhausted: [driver, error]", ""},
		{"allocator: [host, custom]; alloc: a; free: f; on_exhausted: [driver, error]", "7:20: PG040: " + foo + "the rung driver can do nothing here: allocator [host, custom] has no driver to ask"},
		{"allocator: [host, custom]", "3:5: PG013"},
		{"allocator: [device, device_virtual]; driver_pool: {release_threshold: 1MiB}", "5:18: PG029"},
		{"allocator: [device, device_async]; driver_pool: {release_threshold: 1MiB}", ""},
		{"allocator: [device, device_virtual]; shareable: true", ""},
		{"allocator: [device_virtual, device_async]; shareable: true; driver_pool: {source: default, release_threshold: 1MiB}", ""},
		{"allocator: [device_virtual, device_pool]; shareable: true; driver_pool: {source: default}", "5:16: PG047"},
		{"allocator: [device, device_async]; shareable: true", "5:16: PG029"},
		{"allocator: [device_async, device_pool]; suballocator: none; ordering: driver", ""},
		{"allocator: [device_pool, device, device_virtual]; suballocator: none; ordering: driver", "6:15: PG030: " + foo + "ordering driver needs a memory pool of the driver, and allocator device has none"},
		{"allocator: [device_virtual, device]; fallback: [device]", ""},
		{"allocator: device; fallback: [device]", "5:16: PG048"},
		{"allocator: [device_virtual, device]; limit: 1MiB", "5:12: PG033: " + foo + "limit 1MiB is below the smallest chunk of allocator [device_virtual, device], 2MiB"},
		{"allocator: [device, pinned]", "4:25: PG053: " + foo + "allocator pinned hands out other Go types than allocator device"},
		{"allocator: [none, device, host]", "4:23: PG053; 4:31: PG053"},
		{"allocator: [device, device]", "4:25: PG053: " + foo + "allocator lists device twice"},
		{"allocator: [device]", "4:16: PG011"},
		{"allocator: []", "4:16: PG011"},
		{"allocator: {device: 1}", "4:16: PG011"},
		{"allocator: [device, devise_pool]", "4:25: PG012"},
	} {
		judge(t, test.keys, test.want)
	}
}

// The plan of a list has what each of its allocators needs.
func TestPlanOfAList(t *testing.T) {
	plan, found := check(t, poolFile("allocator: [device, device_pool, device_virtual]; limit: 1GiB"), "")
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	p := &plan.Pools[0]
	if p.Allocator != DeviceMemory || !slices.Equal(p.Others, []Allocator{DevicePool, DeviceVirtual}) {
		t.Errorf("%s, %v", p.Allocator, p.Others)
	}
	if p.Granularity != 2<<20 || !p.Paged() || !p.FromDriverPool() || p.DriverPool == nil || p.DriverPool.Source != "custom" || p.Ordering != Stream {
		t.Errorf("%+v", *p)
	}
	plan, _ = check(t, poolFile("allocator: [host, pinned]"), "")
	if p := &plan.Pools[0]; !p.NeedsDriver() || !slices.Equal(p.PinnedFlags, []string{"portable"}) || p.Ordering != Sync || p.Granularity != 4<<10 {
		t.Errorf("%+v", *p)
	}
}

// The calls of each allocator of a list are explained.
func TestListIsExplained(t *testing.T) {
	plan, _ := check(t, poolFile("allocator: [device, device_pool, device_virtual]; shareable: true"), "")
	rows, _ := Explain(plan, "Foo")
	var got []string
	for _, r := range rows {
		if r.Key == "allocator" || r.Key == "driver calls" || r.Key == "shared by" {
			got = append(got, r.Key+": "+strings.Fields(r.Text)[0]+" ("+r.Note+")")
		}
	}
	want := []string{
		"allocator: [device, ()", "driver calls: cuMemAlloc, (with allocator device)",
		"driver calls: cuMemPoolCreate (with allocator device_pool)",
		"shared by: cuMemPoolExportToShareableHandle, (with allocator device_pool; blocks of an imported pool are opened, not allocated)",
		"driver calls: cuMemAddressReserve (with allocator device_virtual)",
		"shared by: cuMemExportToShareableHandle (with allocator device_virtual; blocks of an imported pool are opened, not allocated)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The schema has a list for each kind of blocks that several allocators hand out.
func TestSchemaOfLists(t *testing.T) {
	k := keyNamed(PoolSection, "allocator")
	raw, err := json.Marshal(k.schema())
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{`["host","pinned","managed","custom"]`, `["device","device_async","device_pool","device_virtual"]`} {
		if !strings.Contains(string(raw), `{"items":{"enum":`+words+`,"enumDescriptions":[`) {
			t.Errorf("no list of %s in %s", words, raw)
		}
	}
}
