package devices

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// Each allocator that needs a driver, under each suballocator.
var (
	allocators    = []string{"pinned", "managed", "device", "device_async", "device_pool", "device_virtual", "texture_tile"}
	suballocators = []string{"fixed", "heap", "binned", "classes", "ring", "bump", "none"}
)

// module is the path of this test's module. The path of the matrix's module lies below it, which allows it to import package rig.
const module = tempmod.Path + "/tests/pools"

// TestMatrix generates the pools of all pairs in a module of their own and runs the tests in testdata/matrix there.
func TestMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a package of many pools")
	}
	test, err := os.ReadFile("testdata/matrix/matrix_test.go")
	fatal.If(t, err)
	pools, list := matrix()
	dir := tempmod.Generated(t, module+"/matrix", map[string]string{"poolgen.yaml": pools, "subjects_test.go": list, "matrix_test.go": string(test)})
	at := tempmod.Command{Dir: dir, Temporary: true}
	here, err := filepath.Abs("..")
	fatal.If(t, err)
	if _, diag, err := at.Go("mod", "edit", "-require", module+"@v0.0.0", "-replace", module+"="+here); err != nil {
		t.Fatalf("go mod edit: %v\n%s", err, diag)
	}
	if out, diag, err := at.Go("vet", "-tags", "cudasim", "."); err != nil {
		t.Errorf("go vet: %v\n%s%s", err, out, diag)
	}
	out, diag, err := at.Go("test", "-v", "-tags", "cudasim", "-timeout", "10m", ".", fmt.Sprintf("-pairs.all=%t", *rig.AllPairs))
	for line := range strings.Lines(out) {
		switch {
		case strings.HasPrefix(line, "=== "), strings.Contains(line, "--- PASS: "):
		default:
			t.Log(strings.TrimRight(line, "\n"))
		}
	}
	if err != nil {
		t.Errorf("go test: %v\n%s", err, diag)
	}
}

// matrix returns the pool file, and the Go file that lists the pools for the test.
func matrix() (pools, list string) {
	var y, g strings.Builder
	y.WriteString("version: 1\npackage: matrix\ndefaults: {package_functions: false}\npools:\n")
	g.WriteString("//go:build cudasim\n\npackage matrix\n\nvar subjects = map[string]func() any{\n")
	for _, a := range allocators {
		for _, s := range suballocators {
			if a == "texture_tile" && s == "binned" { // refused: bins are for small blocks
				continue
			}
			for _, ordering := range orderings(a) {
				order := ", ordering: " + ordering
				if s == "bump" { // its blocks are not freed one by one
					ordering, order = "", ""
				}
				name := title(a, s, strings.ReplaceAll(ordering, ", concurrency: ", "_"))
				more := settings[s]
				if a == "texture_tile" {
					more = tileSettings[s]
				}
				fmt.Fprintf(&y, "  - {name: %s, allocator: %s, suballocator: %s%s%s%s}\n", name, a, s, order, settings[a], more)
				fmt.Fprintf(&g, "\t%q: func() any { return new(%sPool) },\n", name, name)
				if order == "" {
					break
				}
			}
		}
	}
	g.WriteString("}\n")
	return y.String(), g.String()
}

// orderings returns the orderings and kinds of concurrency of an allocator's pools. Their differences are the same for all allocators, so only one
// allocator has all of them.
func orderings(allocator string) []string {
	all := []string{"sync", "stream"}
	if allocator == "device" {
		all = append(all, "deferred", "sync, concurrency: sharded", "stream, concurrency: sharded", "deferred, concurrency: sharded", "stream, concurrency: none")
	}
	return all
}

// title makes a name from words with underscores.
func title(words ...string) string {
	var b strings.Builder
	for _, w := range strings.Split(strings.Join(words, "_"), "_") {
		if w != "" {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

// settings returns the other keys of the pools of an allocator, and of a suballocator.
var settings = map[string]string{
	"pinned":         small,
	"managed":        small,
	"device":         small,
	"device_async":   small,
	"device_pool":    small + ", driver_pool: {source: custom, release_threshold: 1MiB, set_current: true}",
	"device_virtual": ", chunk_size: 2MiB, limit: 32MiB",
	"texture_tile":   ", chunk_size: 2MiB, limit: 32MiB",
	"fixed":          `, item: "[1024]byte"`,
	"classes":        ", bins: {min: 512B, max: 16KiB, growth: pow2}",
	"heap":           ", zero: always",
	"bump":           ", zero: always",
}

// tileSettings returns the other keys for a suballocator of tiles, which have no items and are not cleared.
var tileSettings = map[string]string{
	"fixed":   ", block_size: 1MiB",
	"classes": ", bins: {min: 64KiB, max: 1MiB, growth: pow2}",
}

const small = ", chunk_size: 64KiB, limit: 1MiB"
