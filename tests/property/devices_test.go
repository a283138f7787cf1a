package property

import (
	"fmt"
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// devicePools is how many of n pools are drawn for devices.
func devicePools(n int) int { return n / 4 }

// TestDevicePools generates packages of random pools whose memory a driver supplies, or which are sharded, and runs the tests that are generated with them, on the
// simulated driver.
func TestDevicePools(t *testing.T) {
	if testing.Short() || devicePools(*count) == 0 {
		t.Skip("builds and runs many packages")
	}
	packs, files := newPacks(t, devicePools(*count), devicePool)
	dir := newModule(t, packs, files)
	report(t, packs, runTests(t, dir, "-tags", "cudasim"))
}

// devicePool draws a pool whose memory a driver supplies, or which is sharded. Most of its keys are valid; poolgen has to refuse the others.
func devicePool(d draw, i int, imports map[string]string) entry {
	var e entry
	e.set("name", fmt.Sprintf("%s%d", pick(d, names...), i))
	allocator := pick(d, "host", "pinned", "managed", "device", "device", "device_async", "device_pool", "device_virtual", "device_virtual", "device_virtual", "[device, host]",
		"[device_virtual, pinned]", "texture_tile")
	e.set("allocator", allocator)
	sub := pick(d, append(spec.Suballocators(), spec.Fixed, spec.Heap, spec.Heap)...)
	e.set("suballocator", string(sub))
	item := allocator != "texture_tile" && d.chance(60)
	if item {
		e.set("item", anyItem(d, imports))
	}
	e.maybe(d, 90, "concurrency", "none", "mutex", "sharded", "sharded")
	e.maybe(d, 30, "stats", "off", "counters")
	e.maybe(d, 20, "profile", "true")
	e.set("tests", "true")
	e.memory(d, sub.Info(), item)
	e.cut(d, sub.Info(), false)
	e.ladder(d, false)
	if sub == spec.Fixed {
		e.maybe(d, 30, "magazine", "4", "32")
	}
	e.streams(d)
	e.device(d, item)
	return e
}

// streams draws the keys of pools whose blocks are freed on streams.
func (e *entry) streams(d draw) {
	e.maybe(d, 40, "ordering", "sync", "stream", "stream", "deferred", "driver")
	e.maybe(d, 25, "across_streams", "limit", "peak", "growth")
	e.maybe(d, 30, "capture", "refuse", "private", "private")
}

// device draws the keys of memory that a driver supplies.
func (e *entry) device(d draw, item bool) {
	e.maybe(d, 40, "device", "current", "0", "1", "each")
	e.maybe(d, 10, "peers", "[1]", "[0, 1]", "where_possible")
	e.maybe(d, 15, "fallback", "[host]", "[pinned, host]", "[device]")
	switch e.get("allocator") {
	case "pinned":
		e.maybe(d, 40, "pinned_flags", "portable", "[portable, mapped]", "[write_combined]")
	case "device_async", "device_pool":
		e.maybe(d, 40, "driver_pool", "{source: custom, release_threshold: 64MiB}", "{source: default}", "{type: managed}", "{location: host}", "{max_size: 64MiB}", "{reuse: {opportunistic: false}}")
		e.maybe(d, 20, "shareable", "true")
	case "device_virtual":
		e.maybe(d, 15, "shareable", "true")
		e.maybe(d, 50, "sleep", "{}", "{contents: discard}", "{backing: release}", "{backing: staged, batch: 2MiB}", "{prime: true}", "{budget: Large}", "none")
	}
	e.maybe(d, 20, "registered", "true")
	if item {
		e.maybe(d, 20, "device_view", "bump", "fixed", "true")
	}
	e.maybe(d, 10, "c_header", "pools.h")
}
