//go:build !linux

package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// exported makes the driver export something. It works on Linux only.
func exported(export func() (int, abi.Result)) (fd int, r abi.Result) { return export() }
