//go:build !linux

package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// exported has the driver export something. It does so on Linux only.
func exported(export func() (int, abi.Result)) (fd int, r abi.Result) { return export() }
