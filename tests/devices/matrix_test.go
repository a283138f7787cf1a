package devices

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// Each allocator that needs a driver, under each suballocator.
var (
	allocators    = []string{"pinned", "managed", "device", "device_async", "device_pool", "device_virtual"}
	suballocators = []string{"fixed", "heap", "binned", "classes", "ring", "bump", "none"}
)

// TestMatrix generates the pools of all pairs in a module of their own and runs the tests in testdata/matrix there.
func TestMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a package of many pools")
	}
	test, err := os.ReadFile("testdata/matrix/matrix_test.go")
	if err != nil {
		t.Fatal(err)
	}
	pools, list := matrix()
	dir := tempmod.New(t, "example.com/matrix", map[string]string{"poolgen.yaml": pools, "subjects_test.go": list, "matrix_test.go": string(test)})
	at := tempmod.Command{Dir: dir, Temporary: true}
	if _, out, err := at.Run(tempmod.Poolgen(t), "generate"); err != nil {
		t.Fatalf("poolgen generate: %v\n%s", err, out)
	}
	if out, diag, err := at.Go("vet", "-tags", "cudasim", "."); err != nil {
		t.Errorf("go vet: %v\n%s%s", err, out, diag)
	}
	out, diag, err := at.Go("test", "-v", "-tags", "cudasim", "-timeout", "60s", ".")
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
	y.WriteString("version: 1\npackage: matrix\ndefaults: {ordering: sync, package_functions: false}\npools:\n")
	g.WriteString("//go:build cudasim\n\npackage matrix\n\nvar subjects = map[string]func() any{\n")
	for _, a := range allocators {
		for _, s := range suballocators {
			name := strings.ReplaceAll(strings.Title(strings.ReplaceAll(a+" "+s, "_", " ")), " ", "")
			fmt.Fprintf(&y, "  - {name: %s, allocator: %s, suballocator: %s", name, a, s)
			if a == "device_virtual" {
				y.WriteString(", chunk_size: 2MiB, limit: 32MiB")
			} else {
				y.WriteString(", chunk_size: 64KiB, limit: 1MiB")
			}
			switch s {
			case "fixed":
				y.WriteString(`, item: "[1024]byte"`)
			case "classes":
				y.WriteString(", bins: {min: 512B, max: 16KiB, growth: pow2}")
			}
			if s == "heap" || s == "bump" {
				y.WriteString(", zero: always")
			}
			if a == "device_pool" {
				y.WriteString(", driver_pool: {source: custom, release_threshold: 1MiB, set_current: true}")
			}
			y.WriteString("}\n")
			fmt.Fprintf(&g, "\t%q: func() any { return new(%sPool) },\n", name, name)
		}
	}
	g.WriteString("}\n")
	return y.String(), g.String()
}
