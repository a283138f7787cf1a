// Package other imports packages that do not compile.
package other

import (
	"github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/broken"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/torn"
)

// Outer needs a type of it.
type Outer struct{ A broken.Twice }

// Torn needs a type of another.
type Torn struct{ A torn.Torn }
