package vet

import (
	"fmt"
	"testing"

	"golang.org/x/tools/go/analysis/passes/copylock"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

// Go vet and gopls see copies of pools too, of each kind: the engine in a pool counts as a lock, whether its mutex is used or not.
func TestGoVetSeesCopiedPools(t *testing.T) {
	pools, program := "version: 1\npools:\n", "package copies\n"
	for i, kind := range []string{
		"item: uint64", "item: uint64, concurrency: none", "item: uint64, concurrency: sharded", "concurrency: none", "concurrency: sharded",
		"suballocator: bump, concurrency: none", "suballocator: ring, concurrency: none", "suballocator: binned, concurrency: none",
		"suballocator: classes, concurrency: none", "suballocator: none, concurrency: none", "allocator: none, concurrency: none",
		"allocator: device, concurrency: none", "allocator: device, device: each", "allocator: texture_tile, concurrency: none",
	} {
		pools += fmt.Sprintf("  - {name: Kind%d, %s}\n", i, kind)
		program += fmt.Sprintf("\nfunc copy%d(p *Kind%[1]dPool) any { q := *p; return &q } // want `copies lock value`\n", i)
	}
	dir := vettest.Module(t, map[string]string{"copies/poolgen.yaml": pools, "copies/copies.go": program})
	vettest.Run(t, dir, copylock.Analyzer, "./copies")
}
