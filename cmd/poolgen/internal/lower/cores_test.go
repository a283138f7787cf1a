package lower

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

// planned is what a pool file becomes.
func planned(t *testing.T, text string) *Package {
	t.Helper()
	doc, found := spec.Load("poolgen.yaml", []byte(text))
	if doc == nil {
		t.Fatal(found.Text(false))
	}
	plan, found := doc.Validate(spec.Env{Folder: "pools"})
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	pkg, err := Plan(plan, specialize.New(templates.Library()))
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// coreFiles lists the files of suballocators, sorted.
func coreFiles(t *testing.T, text string) (names []string) {
	t.Helper()
	for _, c := range planned(t, text).Cores {
		names = append(names, c.File)
	}
	slices.Sort(names)
	return names
}

// TestCoreNames pins what suballocators are called: what is not usual about them, and nothing that makes no difference.
func TestCoreNames(t *testing.T) {
	for _, test := range []struct{ pool, file string }{
		{"item: uint64", "fixed8_core.go"},
		{"item: uint64, limit: 1GiB, zero: always, package_functions: false, on_exhausted: [wait, error]", "fixed8_core.go"},
		{"item: uint64, concurrency: none", "fixed8_core.go"},
		{"item: uint64, alignment: 32", "fixed8_in32_core.go"},
		{"item: '[4096]byte'", "fixed4k_index16_core.go"},
		{"item: '[4096]byte', limit: 8MiB", "fixed4k_single_index16_core.go"},
		{"item: mesh.Vertex, stats: off", "fixed_mesh_vertex_uncounted_core.go"},
		{"item: '[4]mesh.Vertex', alignment: 64", "fixed4_mesh_vertex_aligned64_core.go"},
		{"item: vertex, block_size: 1KiB", "fixed_vertex_in1k_index16_core.go"},
		{"item: vertex, concurrency: sharded", "strict_vertex_core.go"},
		{"allocator: none, suballocator: fixed", "fixed1_core.go"},
		{"suballocator: heap", "heap_core.go"},
		{"suballocator: heap, fit: best, min_split: 1KiB, trim: {keep: 0B}", "heap_best_split1k_trimmed_core.go"},
		{"suballocator: heap, alignment: 256", "heap_granule256_core.go"},
		{"suballocator: heap, concurrency: sharded", "heap_slabs_core.go"},
		{"suballocator: binned, alignment: 64", "binned_granule64_core.go"},
		{"suballocator: binned, concurrency: sharded", "binned_slabs_core.go"},
		{"suballocator: binned, concurrency: sharded, trim: {keep: 0B}", "binned_shards_trimmed_core.go"},
		{"suballocator: binned, bins: {min: 16B, max: 64KiB, growth: pow2}", "binned_bins16_to64k_core.go"},
		{"suballocator: binned, bins: [16, 48, 64]", "binned_bins16_to64_by3_core.go"},
		{"suballocator: classes, cache: {per_bin: 8, bytes: 1MiB}", "classes_keep8_cache1m_core.go"},
		{"suballocator: ring, arena_size: 1MiB", "ring1m_core.go"},
		{"suballocator: ring, arena_size: 1MiB, concurrency: none", "ring1m_unlocked_core.go"},
		{"suballocator: bump, concurrency: none", "bump_marks_core.go"},
		{"suballocator: bump, concurrency: sharded", "strips_core.go"},
		{"suballocator: none, allocator: device", "direct_streamed_core.go"},
		{"suballocator: ring, allocator: none", "ring_numbers_granule1_core.go"},
		{"item: " + strings.Repeat("long", 30), "fixed_" + strings.Repeat("long", 16) + "_x"},
	} {
		head := "version: 1\n"
		if strings.Contains(test.pool, "mesh.") {
			head += "imports: {mesh: example.com/mesh}\n"
		}
		names := coreFiles(t, head+"pools:\n  - {name: Pool, "+test.pool+"}\n")
		if len(names) != 1 || !strings.HasPrefix(names[0], strings.TrimSuffix(test.file, ".go")) || strings.HasSuffix(test.file, ".go") && names[0] != test.file {
			t.Errorf("%s: got %v, want %s", test.pool, names, test.file)
		}
	}
}

// TestCoresOfOneName has suballocators whose words are the same, and files whose names differ in case alone: each has a file, which does not
// depend on the order of the pools.
func TestCoresOfOneName(t *testing.T) {
	const head = "version: 1\nimports: {a: example.com/a, aB: example.com/b}\npools:\n"
	pools := []string{
		"  - {name: One, item: a.BC}\n", "  - {name: Two, item: aB.C}\n",
		"  - {name: Three, suballocator: binned, bins: [16, 48, 128]}\n", "  - {name: Four, suballocator: binned, bins: [16, 80, 128]}\n",
	}
	names := coreFiles(t, head+strings.Join(pools, ""))
	if len(slices.Compact(slices.Clone(names))) != len(pools) {
		t.Errorf("got %v", names)
	}
	slices.Reverse(pools)
	if again := coreFiles(t, head+strings.Join(pools, "")); !slices.Equal(again, names) {
		t.Errorf("in another order: %v", again)
	}
	if alone := coreFiles(t, "version: 1\nimports: {a: example.com/a}\npools:\n  - {name: One, item: a.BC}\n"); !slices.Equal(alone, []string{"fixed_abc_core.go"}) {
		t.Errorf("alone: %v", alone)
	}
}
