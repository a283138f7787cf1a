//go:build poolgen_never

package hostile

import "github.com/poolgen/poolgen/tests/vet/pools"

func notBuilt() { pools.FreeVertex(nil) }
