//go:build !cudasim

package driver

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/native"
)

func open() abi.Driver { return native.Open() }

// Backend says how this program calls the driver: cgo, purego, none.
const Backend = native.Backend
