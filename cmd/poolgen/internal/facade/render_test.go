package facade

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates/specialize/layout"
)

// poolFile has pools of every kind of facade, under names of every length, with types that jennifer writes with and without a package.
func poolFile() string {
	var b strings.Builder
	b.WriteString("version: 1\nimports: {mesh: example.com/mesh, keep: example.com/keep}\npools:\n")
	items := []string{"mesh.Vertex", "'[3]mesh.V'", "keep.It", "uint64", "Local"}
	for i := range 120 {
		core := []string{"fixed", "heap", "ring", "bump"}[i%4]
		fmt.Fprintf(&b, "  - name: %c%s%c\n    suballocator: %s\n    concurrency: none\n", 'A'+i%26, strings.Repeat("xyz", i%26), 'a'+i/26, core)
		switch i / 4 % 3 {
		case 0:
			fmt.Fprintf(&b, "    item: %s\n    doc: |-\n      It is of use.\n\n      - a list\n", items[i/12%5])
		case 1:
			b.WriteString("    limit: 64MiB\n")
			if core == "fixed" {
				b.WriteString("    block_size: 64\n")
			}
		case 2:
			fmt.Fprintf(&b, "    item: %s\n    package_functions: false\n", items[i/7%5])
		}
	}
	return b.String()
}

// TestRender wants the shared formatter to do what jennifer's own formatting does, pool by pool.
func TestRender(t *testing.T) {
	doc, found := spec.Load("poolgen.yaml", []byte(poolFile()))
	if doc == nil {
		t.Fatal(found.Text(false))
	}
	plan, found := doc.Validate(spec.Env{Folder: "pools"})
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	var formatter layout.Formatter
	for i := range plan.Pools {
		s := &plan.Pools[i]
		p := &Pool{Pool: s, Package: "pools", Prefix: strings.ToLower(s.Name[:1]) + s.Name[1:], Core: "heapCore", StrideConst: "heapCoreSize", CoreMark: "heapCoreMark", Spilled: i%5 == 0}
		got, err := File("// Header.", p, &formatter)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := p.declare("// Header.").Render(&want); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, groupImports(want.Bytes())) {
			t.Errorf("%s: got\n%s\nwant\n%s", s.Name, got, &want)
		}
	}
}
