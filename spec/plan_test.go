package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// onlyPool validates a file with one pool. The file must be valid.
func onlyPool(t *testing.T, keys string) Pool {
	t.Helper()
	plan, found := check(t, poolFile(keys), "")
	if plan == nil {
		t.Fatal(found.Text(false))
	}
	return plan.Pools[0]
}

// The example of the language reference, resolved.
func TestPlanOfTheReferenceExample(t *testing.T) {
	src := `# yaml-language-server: $schema=https://example.com/schema.json
version: 1
package: scene
output: .
imports:
  mesh: example.com/app/mesh
defaults: {concurrency: mutex}
budgets:
  - {name: Scene, limit: 2GiB}
pools:
  - name: Vertex
    doc: Vertices of the visible meshes.
    item: mesh.Vertex
    allocator: pinned
    suballocator: fixed
    chunk_size: 2MiB
    limit: 1GiB
    budget: Scene
`
	plan, found := check(t, src, "")
	if plan == nil {
		t.Fatal(found.Text(false))
	}
	got := plan.Pools[0]
	got.Values = nil
	want := Pool{
		Name: "Vertex", Doc: "Vertices of the visible meshes.", Pos: Position{11, 11},
		Item:      Item{Kind: ItemUser, Type: "mesh.Vertex", Qualifier: "mesh", Import: "example.com/app/mesh", Size: -1, Align: -1},
		Allocator: Pinned, Suballocator: Fixed, ChunkSize: 2 << 20, ChunkSet: true, Granularity: 4096, Limit: 1 << 30, MaxLimit: 1 << 30, Budget: "Scene",
		Growth: GrowthFixed, Fit: FitGood, Capture: CaptureRefuse, Cache: Cache{NoLimit, NoLimit}, Concurrency: Mutex, Ordering: Sync,
		OnExhausted: []Rung{{Kind: RungTrim}, {Kind: RungError}}, WaitTimeout: time.Second, Priority: 50, Reclaim: []ReclaimWay{ReclaimTrim}, Device: Device{Kind: CurrentDevice}, PinnedFlags: []string{"portable"},
		Zero: ZeroNever, PackageFunctions: true, Stats: StatsCounters,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if plan.Package != "scene" || plan.Output != "." || plan.File != "poolgen.yaml" ||
		plan.Imports[0] != (Import{"mesh", "example.com/app/mesh", Position{6, 3}}) || plan.Budgets[0] != (Budget{"Scene", 2 << 30, ScopeProcess, 0, Position{9, 12}}) {
		t.Errorf("got %+v", plan)
	}
}

// The defaults of each allocator, in a pool that sets nothing else.
func TestDefaultsOfEachAllocator(t *testing.T) {
	for keys, want := range map[string]string{
		"allocator: host":                      "heap bytes 8MiB of 4KiB, align 0, sync, [trim, error]",
		"allocator: custom; alloc: a; free: b": "heap bytes 8MiB of 4KiB, align 0, sync, [trim, error]",
		"allocator: pinned":                    "heap bytes 8MiB of 4KiB, align 0, sync, [trim, error]",
		"allocator: managed":                   "heap bytes 8MiB of 64KiB, align 0, sync, [trim, error]",
		"allocator: device":                    "heap bytes 8MiB of 512B, align 256, stream, [poll, trim, drain, error]",
		"allocator: device_async":              "heap bytes 8MiB of 512B, align 256, stream, [poll, trim, drain, error]",
		"allocator: device_pool":               "heap bytes 8MiB of 512B, align 256, stream, [poll, trim, drain, error]",
		"allocator: device_virtual":            "heap bytes 8MiB of 2MiB, align 256, stream, [poll, trim, drain, error]",
		"allocator: texture_tile":              "heap bytes 8MiB of 2MiB, align 65536, stream, [poll, trim, drain, error]",
		"allocator: none":                      "heap number 0B of 1B, align 1, sync, [error]",
		"item: float32":                        "fixed builtin 8MiB of 4KiB, align 0, sync, [error]",
		"item: bytes":                          "heap bytes 8MiB of 4KiB, align 0, sync, [trim, error]",
		"item: bytes; block_size: 4KiB; suballocator: fixed": "fixed bytes 8MiB of 4KiB, align 0, sync, [error]",
		"item: bytes; allocator: device":                     "heap bytes 8MiB of 512B, align 256, stream, [poll, trim, drain, error]",
		"allocator: device; item: float32":                   "fixed builtin 8MiB of 512B, align 256, stream, [poll, drain, error]",
		"allocator: device; suballocator: bump":              "bump bytes 8MiB of 512B, align 256, sync, [error]",
		"limit: 16MiB":                                       "heap bytes 8MiB of 4KiB, align 0, sync, [trim, error]",
		"limit: 1MiB":                                        "heap bytes 1MiB of 4KiB, align 0, sync, [error]",
		"limit: 10000":                                       "heap bytes 8KiB of 4KiB, align 0, sync, [error]",
		"item: \"[16777216]byte\"":                           "fixed builtin 16MiB of 4KiB, align 0, sync, [error]",
		"chunk_size: 10000":                                  "heap bytes 12KiB of 4KiB, align 0, sync, [trim, error]",
		"allocator: device; fallback: [device_virtual]":      "heap bytes 8MiB of 2MiB, align 256, stream, [poll, trim, drain, error]",
	} {
		p := onlyPool(t, keys)
		got := fmt.Sprintf("%s %s %s of %s, align %d, %s, %s", p.Suballocator, p.Item.Kind, FormatSize(p.ChunkSize), FormatSize(p.Granularity),
			p.Alignment, p.Ordering, ladderText(&p))
		if got != want {
			t.Errorf("{%s}: got %s, want %s", keys, got, want)
		}
	}
}

func TestBinsAreRoundedAndListed(t *testing.T) {
	for keys, want := range map[string]string{
		"suballocator: binned":                                                  "[16B, 32B, 64B, 128B, 256B, 512B, 1KiB, 2KiB, 4KiB]",
		"suballocator: binned; alignment: 1KiB":                                 "[1KiB, 2KiB, 4KiB]",
		"suballocator: binned; allocator: device":                               "[256B, 512B, 1KiB, 2KiB, 4KiB]",
		"suballocator: binned; bins: [10, 40, 100]":                             "[16B, 48B, 112B]",
		"suballocator: binned; bins: {min: 64, max: 500, growth: 1.5}":          "[64B, 96B, 144B, 224B, 336B, 496B, 512B]",
		"suballocator: binned; bins: {min: 100, max: 400, growth: 1.25}":        "[112B, 128B, 160B, 208B, 256B, 320B, 384B, 400B]",
		"suballocator: binned; bins: {min: 64, max: 256, per_doubling: 4}":      "[64B, 80B, 96B, 112B, 128B, 160B, 192B, 224B, 256B]",
		"suballocator: binned; bins: {min: 16, max: 100, per_doubling: 4}":      "[16B, 32B, 48B, 64B, 80B, 96B, 112B]",
		"suballocator: binned; bins: {min: 100, max: 400, per_doubling: 3}":     "[112B, 128B, 176B, 224B, 256B, 352B, 400B]",
		"suballocator: binned; bins: {min: 100, max: 400, per_doubling: 1}":     "[112B, 128B, 256B, 400B]",
		"suballocator: classes; bins: {min: 3KiB, max: 5KiB, per_doubling: 16}": "[3KiB, 3200B, 3328B, 3456B, 3584B, 3712B, 3840B, 3968B, 4KiB, 4352B, 4608B, 4864B, 5KiB]",
		"suballocator: binned; bins: {min: 64, max: 64, per_doubling: 4}":       "[64B]",
		"suballocator: binned; bins: {min: 64, max: 64}":                        "[64B]",
		"suballocator: classes; bins: {min: 512, max: 4KiB}":                    "[512B, 1KiB, 2KiB, 4KiB]",
		"suballocator: classes; bins: {min: 512, max: 3KiB}":                    "[512B, 1KiB, 2KiB, 3KiB]",
		"suballocator: classes; allocator: texture_tile; bins: [64KiB, 100KiB]": "[64KiB, 128KiB]",
	} {
		p := onlyPool(t, keys)
		if got := binsText(&p); got != want {
			t.Errorf("{%s}:\n got %s\nwant %s", keys, got, want)
		}
	}
	p := onlyPool(t, "suballocator: classes")
	if n := len(p.Bins); n != 23 || p.Bins[0] != 512 || p.Bins[n-1] != 2<<30 {
		t.Errorf("classes: %d bins, %v", n, p.Bins)
	}
}

// A pool's own value has precedence over that of defaults, and values of defaults that do not apply to the pool are skipped.
func TestOwnValuesComeBeforeDefaults(t *testing.T) {
	src := `version: 1
defaults: {chunk_size: 1MiB, fit: best, zero: always, limit: 64MiB, ordering: sync}
pools:
  - {name: A, zero: first}
  - {name: B, item: int32}
  - {name: C, allocator: none}
`
	plan, found := check(t, src, "")
	if plan == nil {
		t.Fatal(found.Text(false))
	}
	values := func(i int, keys ...string) string {
		var out []string
		for _, v := range plan.Pools[i].Values {
			if slices.Contains(keys, v.Key) {
				out = append(out, fmt.Sprintf("%s=%s %s %d:%d", v.Key, v.Text, v.Origin, v.Pos.Line, v.Pos.Column))
			}
		}
		return strings.Join(out, ", ")
	}
	keys := []string{"chunk_size", "fit", "zero", "limit", "growth"}
	for i, want := range []string{
		"chunk_size=1MiB defaults 2:24, limit=64MiB defaults 2:62, growth=fixed default 0:0, fit=best defaults 2:35, zero=first pool 4:21",
		"chunk_size=1MiB defaults 2:24, limit=64MiB defaults 2:62, growth=fixed default 0:0, fit=best skipped 2:35, zero=always defaults 2:47",
		"chunk_size=1MiB skipped 2:24, limit=64MiB skipped 2:62, fit=best defaults 2:35, zero=always skipped 2:47",
	} {
		if got := values(i, keys...); got != want {
			t.Errorf("pool %d:\n got %s\nwant %s", i, got, want)
		}
	}
	if c := plan.Pools[2]; c.Limit != NoLimit || c.Zero != ZeroNever || c.ChunkSize != 0 {
		t.Errorf("skipped keys have an effect: %+v", c)
	}
}

// magazine in defaults holds for those pools that can have magazines.
func TestMagazineOfDefaultsIsSkipped(t *testing.T) {
	plan, found := check(t, `version: 1
defaults: {concurrency: sharded, magazine: 16}
pools:
  - {name: Own, item: int32, magazine: 8}
  - {name: Fixed, item: int32}
  - {name: Heap}
  - {name: Locked, item: int32, concurrency: mutex}
  - {name: Trimmed, item: int32, trim: {keep: 1MiB}}
`, "")
	if plan == nil {
		t.Fatal(found.Text(false))
	}
	for i, want := range []int{8, 16, 0, 0, 0} {
		if p := plan.Pools[i]; p.Magazine != want {
			t.Errorf("%s: magazine %d, want %d", p.Name, p.Magazine, want)
		}
	}
}

// device_view in defaults holds for those pools that can have such views; true is bump. The alignment of its items is what the file sets.
func TestViewOfDefaultsIsSkipped(t *testing.T) {
	for value, want := range map[string][]DeviceView{"true": {BumpView, NoView, NoView, NoView}, "bump": {BumpView, NoView, NoView, NoView}, "fixed": {FixedView, FixedView, NoView, NoView}} {
		plan, found := check(t, `version: 1
defaults: {allocator: device, device_view: `+value+`}
pools:
  - {name: Bump, item: int32, suballocator: bump, alignment: 64}
  - {name: Heap, item: int32, suballocator: heap}
  - {name: Bytes, suballocator: heap}
  - {name: Single, item: int32}
`, "")
		if plan == nil {
			t.Fatal(found.Text(false))
		}
		for i, want := range want {
			p := &plan.Pools[i]
			if p.DeviceView != want || p.Views() != (want != NoView) || p.FreesViews() != (want != NoView && i > 0) {
				t.Errorf("%s: %s: view %q, want %q", value, p.Name, p.DeviceView, want)
			}
			skipped := slices.ContainsFunc(p.Values, func(v Value) bool { return v.Key == "device_view" && v.Origin == Skipped })
			if skipped == (want != NoView) {
				t.Errorf("%s: %s: skipped: %t", value, p.Name, skipped)
			}
			if a := p.ViewAlignment(); a != map[bool]int64{true: 64, false: 1}[i == 0] {
				t.Errorf("%s: items are aligned to %d", p.Name, a)
			}
		}
	}
}

// Pools Foo and FooView collide only if FreeFooView frees a view.
func TestPoolNamedLikeAView(t *testing.T) {
	for settings, want := range map[string]bool{"suballocator: heap": true, "suballocator: bump, device_view: true": true, "suballocator: heap, device_view: fixed": false} {
		plan, found := check(t, "version: 1\npools:\n  - {name: Foo, allocator: device, item: int32, "+settings+"}\n  - {name: FooView}\n", "")
		if (plan != nil && len(found) == 0) != want {
			t.Errorf("%s: accepted: %t\n%s", settings, !want, found.Text(false))
		}
	}
}

// doc is kept as lines without blanks at their ends, and the package is that of the directory.
func TestDocIsLinesOfText(t *testing.T) {
	if p := onlyPool(t, `doc: |; item: byte`); p.Doc != "" {
		t.Errorf("doc %q", p.Doc)
	}
	plan, _ := check(t, "version: 1\npools:\n  - name: A\n    doc: |\n      First line.  \n\n      // go:build x */\n\n", "")
	if got := plan.Pools[0].Doc; got != "First line.\n\n// go:build x */" {
		t.Errorf("doc %q", got)
	}
	if plan.Package != "scene" {
		t.Errorf("package %q is not that of the directory", plan.Package)
	}
}

// A driver's pool that is shared has handles for sharing, whatever else the file sets.
func TestSharedDriverPoolHasHandles(t *testing.T) {
	p := onlyPool(t, "allocator: device_pool; shareable: true; driver_pool: {release_threshold: none, reuse: {internal: false}}")
	want := DriverPool{Source: "custom", Type: "pinned", Location: "device", MaxSize: NoLimit, Handles: "fd",
		ReleaseThreshold: Setting[int64]{NoLimit, true}, ReuseInternal: Setting[bool]{false, true}}
	if *p.DriverPool != want {
		t.Errorf("driver pool %+v", *p.DriverPool)
	}
}

// Findings of later stages are about the pool file: Mark adds the line and the end of the value to them, and to notes on the same file.
func TestFindingsOfLaterStages(t *testing.T) {
	const src = "version: 1\npackage: scene\ndefaults: {zero: always}\npools:\n  - name: Sound\n    limit: 64MiB\n"
	doc, found := Load("poolgen.yaml", []byte(src))
	if doc == nil {
		t.Fatal(found.Text(false))
	}
	plan, found := doc.Validate(Env{Dir: "scene"})
	if plan == nil {
		t.Fatal(found.Text(false))
	}
	pool := &plan.Pools[0]
	for key, want := range map[string]Position{"limit": {6, 12}, "zero": {3, 18}, "growth": pool.Pos, "limti": pool.Pos} {
		if got := pool.Place(key); got != want {
			t.Errorf("the place of %s: %v, want %v", key, got, want)
		}
	}
	elsewhere := Note{File: "sound.go", Pos: Position{1, 1}, Message: "in Go"}
	all := Diagnostics{
		plan.Finding(CodeHeader, pool.Place("limit"), "more", "too little", Note{File: plan.File, Pos: pool.Pos, Message: "of this one"}, elsewhere),
		plan.Finding(CodeFault, Position{}, "report it", "it cannot be"),
	}
	doc.Mark(all)
	want := Diagnostics{
		{Code: CodeHeader, File: "poolgen.yaml", Pos: Position{6, 12}, End: Position{6, 17}, Message: "too little", Excerpt: "    limit: 64MiB", Help: "more", Notes: []Note{
			{File: "poolgen.yaml", Pos: Position{5, 11}, End: Position{5, 16}, Message: "of this one", Excerpt: "  - name: Sound"}, elsewhere,
		}},
		{Code: CodeFault, File: "poolgen.yaml", Message: "it cannot be", Help: "report it"},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("got  %+v\nwant %+v", all, want)
	}
}
