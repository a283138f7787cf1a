package lower

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// planned returns the Package of a pool file.
func planned(t *testing.T, text string) *Package {
	t.Helper()
	doc, found := spec.Load("poolgen.yaml", []byte(text))
	if doc == nil {
		t.Fatal(found.Text(false))
	}
	plan, found := doc.Validate(spec.Env{Dir: "pools"})
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	pkg, err := Plan(plan)
	fatal.If(t, err)
	return pkg
}

// TestCores: a suballocator has the name of the first pool that uses it, and pools with equal parameters share one.
func TestCores(t *testing.T) {
	for pools, want := range map[string]string{
		"{name: HTTPConn, item: uint64}":                                                                "httpConnCore http_conn_core.go HTTPConn",
		"{name: A}, {name: B, limit: 1GiB, zero: always, allocator: device, fit: best}":                 "aCore a_core.go A B",
		"{name: A, suballocator: ring}, {name: B, limit: 1GiB}, {name: C, suballocator: ring}":          "aCore a_core.go A C, bCore b_core.go B",
		"{name: A, item: BC}, {name: B, item: '[2]BC'}, {name: C, item: BC}":                            "aCore a_core.go A C, bCore b_core.go B",
		"{name: A, item: uint64}, {name: B, item: '[2]uint32'}, {name: C, item: uint64, alignment: 32}": "aCore a_core.go A B, cCore c_core.go C",
	} {
		var got []string
		for _, c := range planned(t, "version: 1\npools: ["+pools+"]\n").Cores {
			words := []string{c.Type, c.File}
			for _, p := range c.Pools {
				words = append(words, p.Spec.Name)
			}
			got = append(got, strings.Join(words, " "))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: got %s, want %s", pools, text, want)
		}
	}
}
