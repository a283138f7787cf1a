//go:build cudasim

package nccl

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator"
)

func open() (abi.NCCL, *Missing) { return simulator.Default().NCCL(), nil }
