package spec

import (
	"strings"
	"testing"
)

// Exports need package main, and names that C does not have yet.
func TestExports(t *testing.T) {
	const text = "version: 1\npackage: main\ndefaults: {exports: [c], device: each}\npools: "
	for _, test := range []struct {
		file string
		want []string
	}{
		{text + "[{name: Vertex, item: int8}, {name: Tensor, allocator: device}, {name: Arena, suballocator: bump}, {name: Texel, allocator: texture_tile}]\n", nil},
		{text + "[{name: A, item: int8, concurrency: none}, {name: B, allocator: device_pool, ordering: driver, suballocator: none}]\n", nil},
		{strings.Replace(text, "main", "scene", 1) + "[{name: Vertex, item: int8}]\n", []string{"3:21: PG030"}},
		{text + "[{name: Aligned}]\n", []string{"4:16: PG023: pool \"Aligned\": it would declare aligned_alloc in C, which is a name of the C library"}},
		{text + "[{name: malloc}]\n", []string{"4:16: PG023: pool \"malloc\": it would declare malloc_stats in C"}},
		{text + "[{name: Poolgen}]\n", []string{"4:16: PG023: pool \"Poolgen\": it would declare poolgen_stats in C, which is a name of every such header"}},
		{text + "[{name: Größe}]\n", []string{"4:16: PG022: pool \"Größe\": with exports"}},
		{text + "[{name: foo, allocator: device, item: int8, suballocator: heap, device_view: fixed}, {name: MainFoo}]\n",
			[]string{"4:100: PG023: pool \"MainFoo\": it collides with pool \"foo\": both would declare main_foo_alloc in C"}},
	} {
		_, found := check(t, test.file, "")
		compare(t, found, test.want)
	}
}
