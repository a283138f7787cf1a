package spec_test

import (
	"fmt"

	"github.com/poolgen/poolgen/spec"
)

// A pool file becomes a plan, in which every default is filled in.
func Example() {
	doc, found := spec.Load("poolgen.yaml", []byte(`version: 1
pools:
  - {name: Text, limit: 64MiB}
`))
	if doc == nil {
		fmt.Print(found.Text(false))
		return
	}
	plan, found := doc.Validate(spec.Env{Dir: "shop"}) // the name of the output directory, for the package
	if plan == nil {
		fmt.Print(found.Text(false))
		return
	}
	p := plan.Pools[0]
	fmt.Println(plan.Package, p.Name, p.Allocator, p.Suballocator, spec.FormatSize(p.ChunkSize), p.Concurrency)
	// Output: shop Text host heap 8MiB mutex
}

// Findings have a place and a correction.
func ExampleDocument_Validate() {
	doc, _ := spec.Load("poolgen.yaml", []byte(`version: 1
pools:
  - {name: Text, limit: 64 MiB}
`))
	_, found := doc.Validate(spec.Env{Dir: "shop"})
	fmt.Println(found[0])
	fmt.Println(found[0].Help)
	// Output:
	// poolgen.yaml:3:25: PG015: pool "Text": limit "64 MiB" is not a size
	// write 64MiB
}

// The rows of poolgen explain: each value, and its origin.
func ExampleExplain() {
	doc, _ := spec.Load("poolgen.yaml", []byte(`version: 1
pools:
  - {name: Text, limit: 4MiB}
`))
	plan, _ := doc.Validate(spec.Env{Dir: "shop"})
	rows, _ := spec.Explain(plan, "Text")
	for _, r := range rows {
		if r.Key == "limit" || r.Key == "chunk_size" {
			fmt.Printf("%s %s (%s)\n", r.Key, r.Text, r.From)
		}
	}
	// Output:
	// chunk_size 4MiB (derived from limit)
	// limit 4MiB (poolgen.yaml:3:25)
}
