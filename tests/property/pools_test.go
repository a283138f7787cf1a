package property

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// names are names of pools that might clash with something; a number is added to most of them.
var names = []string{
	"Vertex", "P", "N", "R", "S", "HTTPConn", "URL", "Ünit", "X_1", "Int", "Type", "String", "Error", "Pool", "Default", "Runtime", "Alloc",
	"Stats", "T", "Range", "Func", "Go", "Map", "Nil", "Len", "Max", "Context", "Config", "Core", "Budget", "New", "Free", "Ærø", "ΔV", "Test", "Linux", "A_", "Append", "Any", "Main", "Init",
	"node", "pool", "alloc", "jsonTree", "string", "日本",
}

// docs are texts that, as comments in the output, must not end the comment, start a directive or break a line.
var docs = []string{
	"Vertices of the visible meshes.", "two\nlines", "ends */ here", "/* begins", `"quotes" and 'quotes'` + " and `ticks`", "\\", "%s %d %!v(MISSING)",
	"//go:build ignore", "\n//go:embed x\n", "//poolgen:if x", "+build ignore", "DO NOT EDIT.", "a\ttab", "trailing space \n next", "1. a\n2. b\n   - c\n",
	"# Heading\n\ntext\n", "[Link] and [a.b]", "日本語の説明", "ends with backslash\\\nnext", "package x", "Deprecated: no.", "\n\n\nfar\n\n\n\ndown", " indented\n\tcode\n",
}

var sizes = []string{"4096", "8KiB", "64KiB", "100KB", "12345", "1MiB", "1.5MiB", "2MiB", "4097", "1"}

// anyPool draws a pool. Most of its keys are valid; poolgen has to refuse the others.
func anyPool(d draw, i int, imports map[string]string) entry {
	var e entry
	e.set("name", fmt.Sprintf("%s%d", pick(d, names...), i))
	if d.chance(30) {
		e.set("doc", quoted(pick(d, docs...)))
	}
	allocator := pick(d, "host", "host", "host", "host", "host", "host", "host", "none", "custom", "[host, custom]", "")
	if allocator != "" {
		e.set("allocator", allocator)
	}
	sub := pick(d, append(spec.Suballocators(), spec.Fixed, spec.Heap, "")...) // the usual ones more often, and no key at all
	if sub != "" {
		e.set("suballocator", string(sub))
	}
	item := allocator != "none" && d.chance(75)
	if item {
		e.set("item", anyItem(d, imports))
	}
	if sub == "" {
		sub = map[bool]spec.Suballocator{true: spec.Fixed, false: spec.Heap}[item]
	}
	e.maybe(d, 80, "concurrency", "none", "mutex")
	e.maybe(d, 30, "stats", "off", "counters")
	if allocator != "none" {
		e.maybe(d, 20, "profile", "true", "false")
	}
	e.maybe(d, 20, "package_functions", "true", "false")
	e.maybe(d, 50, "tests", "true", "true", "false")
	if allocator == "none" {
		e.maybe(d, 60, "limit", "1", "4096", "100000", "none")
	} else {
		e.memory(d, sub.Info(), item)
	}
	e.cut(d, sub.Info(), allocator == "none")
	e.ladder(d, allocator == "none")
	if strings.Contains(allocator, "custom") {
		e.set("alloc", "mapPages")
		e.set("free", "unmapPages")
	}
	return e
}

// memory draws the keys of pools of memory.
func (e *entry) memory(d draw, sub spec.SuballocatorInfo, item bool) {
	if sub.OneSize && (!item || d.chance(15)) {
		size := pick(d, "1", "3", "24", "64", "100", "4096", "65544", "70001", "1MiB")
		if item && !builtin(e.get("item")) {
			size = pick(d, "100KiB", "131072", "1MiB") // only the Go compiler can refuse a size that is too small
		}
		e.set("block_size", size)
	}
	e.maybe(d, 60, "chunk_size", sizes...)
	alignments := []string{"1", "2", "8", "16", "64", "256", "4096", "64KiB", "1MiB"}
	if item && !builtin(e.get("item")) {
		alignments = alignments[2:] // only the Go compiler can refuse an alignment below that of the type
	}
	e.maybe(d, 30, "alignment", alignments...)
	e.maybe(d, 50, "limit", "4096", "64KiB", "256KiB", "1MiB", "3MiB", "8MiB", "100MiB", "64GiB", "none", "5000000")
	e.maybe(d, 15, "max_limit", "1MiB", "8MiB", "200MiB", "none")
	e.maybe(d, 20, "soft_limit", "4096", "1MiB", "50MiB")
	e.maybe(d, 15, "budget", "Small", "Large")
	if e.get("budget") != "" {
		e.maybe(d, 40, "guarantee", "0", "4096", "100KiB")
	}
	e.maybe(d, 15, "priority", "0", "50", "100")
	e.maybe(d, 15, "reclaim", "[]", "[trim]", "[hook]", "[hook, trim]")
	if d.chance(20) {
		e.set("zero", pick(d, "never", "first", "always"))
	}
	if !sub.Direct {
		e.maybe(d, 25, "growth", "fixed", "double")
		e.maybe(d, 20, "prime", "0", "4096", "64KiB", "1MiB", "3MB")
		e.maybe(d, 35, "trim", "{keep: 0B}", "{keep: 1MiB}", "{keep: 64KiB, idle: 1ms}", "{idle: 1h}", "{idle: 1500us}")
	}
}

func builtin(item string) bool { return slices.Contains(plainItems, item) }

// cut draws the keys of a suballocator.
func (e *entry) cut(d draw, sub spec.SuballocatorInfo, numbers bool) {
	switch {
	case sub.Heap && sub.Bins == nil:
		e.maybe(d, 70, "fit", "first", "best", "good")
		e.maybe(d, 30, "min_split", "1", "64", "100", "4096")
	case sub.Bins != nil && sub.Bins.InChunks:
		e.maybe(d, 60, "bins", "[16]", "[24, 100, 1000]", "[64B, 256B, 1KiB]", "{min: 16B, max: 4KiB}", "{min: 8, max: 1000, growth: 1.25}", "{min: 100, max: 4KiB, growth: 1.5}", "{min: 16, max: 2KiB, per_doubling: 4}", "[1, 2, 3]")
	case sub.Bins != nil:
		e.maybe(d, 60, "bins", "[512]", "[24, 100, 1000]", "{min: 512B, max: 1MiB, growth: 1.25}", "{min: 16, max: 64KiB, growth: pow2}", "{min: 100, max: 2GiB, growth: 1.5}")
	}
	if sub.Cache {
		e.maybe(d, 60, "cache", "{per_bin: 0}", "{per_bin: 3}", "{bytes: 100KB}", "{per_bin: 64, bytes: 1MiB}", "{bytes: 0B}")
	}
	if sub.Order != spec.AllAtOnce {
		e.maybe(d, 20, "lookup", "address", "[address]")
	}
	if allocator := e.get("allocator"); sub.Order == spec.AnyOrder && !sub.Direct && (allocator == "host" || allocator == "") {
		e.maybe(d, 25, "guard", "{one_in: 1}", "{one_in: 3}", "{one_in: 5000}", "none")
	}
	if sub.Order != spec.AllAtOnce && !sub.OneSize && !numbers && e.get("item") == "" {
		e.maybe(d, 20, "adapters", "[pool]", "[writer, pool]", "[grpc]", "[pool, writer, grpc, arrow]")
	}
	if sub.Arenas && !numbers {
		e.maybe(d, 50, "arena_size", "4096", "64KiB", "5000", "1MiB", "100")
	}
}

// ladder draws the key on_exhausted.
func (e *entry) ladder(d draw, numbers bool) {
	if !d.chance(40) {
		return
	}
	rungs := []string{}
	if !numbers && d.chance(60) {
		rungs = append(rungs, "trim")
	}
	wait := d.chance(40) && e.get("concurrency") != "none"
	if wait {
		rungs = append(rungs, "wait")
	}
	if !numbers && d.chance(30) {
		rungs = append(rungs, "'pool:OTHER'")
	}
	e.set("on_exhausted", "["+strings.Join(append(rungs, "error"), ", ")+"]")
	if wait {
		e.set("wait_timeout", pick(d, "1ms", "1us", "2500us"))
	}
}

// TestEveryKeyIsDrawn demands that each key of a pool is drawn, but for exports, which needs a program: tests/pools/exports has pools of each form.
func TestEveryKeyIsDrawn(t *testing.T) {
	drawn := map[string]bool{}
	d := newDraw(1)
	for i := range 500 {
		for _, s := range append(anyPool(d, i, map[string]string{}), devicePool(d, i, map[string]string{})...) {
			drawn[s.key] = true
		}
	}
	for _, k := range spec.Keys(spec.PoolSection) {
		if !drawn[k.Name] && k.Name != "exports" {
			t.Errorf("key %s is never drawn", k.Name)
		}
	}
}
