// Package hostptr passes pointers of the host to kernels.
package hostptr

import (
	"github.com/poolgen/poolgen/cuda"
	"example.com/vet/pools"
)

func launch(k cuda.Kernel, c cuda.Config, v *pools.Vertex, data []float32, b pools.BatchSpan, raw []byte) error {
	if err := k.Launch(c, v, uint64(1)); err != nil { // want `PG112: a kernel is passed a pointer of the host`
		return err
	}
	if err := k.Launch(c, data); err != nil { // want `PG112: a kernel is passed a slice of the host`
		return err
	}
	return k.Launch(c, b.Addr(), cuda.AddressOf(raw), float32(1), uint64(b.Len()), *v)
}

func spread(k cuda.Kernel, c cuda.Config, args ...any) error { return k.Launch(c, args...) }
