//go:build poolgen_never

package hostile

import "example.com/vet/pools"

func notBuilt() { pools.FreeVertex(nil) }
