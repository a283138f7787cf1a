package compile

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// generated is what a pool file becomes.
func generated(t *testing.T, text string) map[string][]byte {
	t.Helper()
	files, found := Files(planOf(t, text), "poolgen.yaml", "test", nil)
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	return files
}

// coreFiles lists the files of suballocators.
func coreFiles(files map[string][]byte) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, coreSuffix) {
			names = append(names, name)
		}
	}
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
		names := coreFiles(generated(t, head+"pools:\n  - {name: Pool, "+test.pool+"}\n"))
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
	files := generated(t, head+strings.Join(pools, ""))
	if names := coreFiles(files); len(names) != len(pools) {
		t.Errorf("got %v", names)
	}
	slices.Reverse(pools)
	if again := generated(t, head+strings.Join(pools, "")); !slices.Equal(coreFiles(again), coreFiles(files)) {
		t.Errorf("in another order: %v", coreFiles(again))
	}
	if alone := coreFiles(generated(t, "version: 1\nimports: {a: example.com/a}\npools:\n  - {name: One, item: a.BC}\n")); !slices.Equal(alone, []string{"fixed_abc_core.go"}) {
		t.Errorf("alone: %v", alone)
	}
}

// TestCoresStable takes pools away, moves them to the end and renames them: nothing but their own files, and those of suballocators that no other has, may come,
// go or change.
func TestCoresStable(t *testing.T) {
	const item = "  - name: "
	head, list, _ := strings.Cut(hundred(), item)
	pools := strings.Split(list, item)[:10]
	file := func(pools []string) map[string][]byte { return generated(t, head+item+strings.Join(pools, item)) }
	whole := file(pools)
	for _, i := range []int{0, 4, len(pools) - 1} {
		pool := pools[i]
		name, keys, _ := strings.Cut(pool, "\n")
		rest := slices.Delete(slices.Clone(pools), i, i+1)
		without := file(rest)
		for name, text := range without {
			if !bytes.Equal(text, whole[name]) {
				t.Errorf("%s changes when pool %s goes", name, pool)
			}
		}
		if gone := len(whole) - len(without); gone < 2 || gone > 3 {
			t.Errorf("%d files go with pool %s", gone, pool)
		}
		if !maps.EqualFunc(file(append(rest, pool)), whole, bytes.Equal) {
			t.Errorf("it matters where pool %s stands", pool)
		}
		renamed := file(append(rest, "Other"+name+"\n"+keys))
		for _, name := range coreFiles(whole) {
			if !bytes.Equal(renamed[name], whole[name]) {
				t.Errorf("%s depends on the name of pool %s", name, pool)
			}
		}
	}
}

// TestCoresDiffer compares the suballocators of many pools with all kinds of settings: no two have the same text under another name, so that all
// that could be shared is shared.
func TestCoresDiffer(t *testing.T) {
	if testing.Short() {
		t.Skip("generates hundreds of pools")
	}
	var pools strings.Builder
	settings := []string{
		"", "stats: off", "trim: {keep: 0B}", "zero: always", "limit: 1GiB", "alignment: 64", "allocator: device", "allocator: device, ordering: sync",
		"allocator: device_pool, shareable: true", "allocator: device_virtual, limit: 1GiB", "allocator: pinned, ordering: deferred", "growth: double",
	}
	for i, core := range []string{"fixed, item: '[3]uint64'", "heap", "heap, fit: first", "binned", "classes", "ring", "bump", "none"} {
		for j, concurrency := range []string{"none", "mutex", "sharded"} {
			for k, setting := range settings {
				line := fmt.Sprintf("  - {name: P%c%c%c, suballocator: %s, concurrency: %s, %s}\n", 'a'+i, 'a'+j, 'a'+k, core, concurrency, setting)
				doc, _ := spec.Load("poolgen.yaml", []byte("version: 1\npools:\n"+line))
				if _, found := doc.Validate(spec.Env{Folder: "pools"}); len(found) == 0 {
					pools.WriteString(line)
				}
			}
		}
	}
	files := generated(t, "version: 1\npools:\n"+pools.String())
	texts := map[string]string{}
	for _, name := range coreFiles(files) {
		text := anonymous(t, name, files[name])
		if other := texts[text]; other != "" {
			t.Errorf("%s and %s are the same", other, name)
		}
		texts[text] = name
		if numbered.MatchString(name) {
			t.Errorf("%s: a parameter has no word, so that a number has to tell it apart", name)
		}
	}
	if len(texts) < 50 {
		t.Errorf("only %d suballocators", len(texts))
	}
}

var numbered = regexp.MustCompile(`x[0-9a-f]{8}_core\.go$`)

// anonymous is a text without the name of its suballocator and without white space, which depends on the length of that.
func anonymous(t *testing.T, file string, text []byte) string {
	t.Helper()
	for _, word := range strings.FieldsFunc(string(text), func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '[' || r == '*' }) {
		if strings.HasSuffix(word, "Core") && spec.FileStem(word)+".go" == file {
			return strings.Join(strings.Fields(strings.ReplaceAll(string(text), word, "Core")), " ")
		}
	}
	t.Fatalf("%s does not say what it is called", file)
	return ""
}
