//go:build !linux

package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// shareable says that memory cannot be shared between processes here.
const shareable = 0

// shared is never made.
type shared struct{ size uint64 }

func newShared(string, int, uint64) *shared          { return nil }
func openShared(string, int) (*shared, int)          { return nil, 0 }
func (*shared) identity() uint64                     { return 0 }
func (*shared) export() (int, abi.Result)            { return 0, abi.NotSupported }
func (*shared) extend(uint64) ([]byte, uint64)       { return nil, 0 }
func (*shared) has(uint64, uint64) bool              { return false }
func (*shared) view(uint64, uint64) ([]byte, uint64) { return nil, 0 }
func (*shared) drop([]byte)                          {}
func (*shared) close()                               {}
