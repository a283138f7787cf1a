//go:build cudasim

package driver

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator"
)

func open() abi.Driver { return simulator.Default() }

// Backend says how this program calls the driver: not at all.
const Backend = "simulator"
