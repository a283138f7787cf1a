//go:build cudasim

package main

import "C"

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// simStream makes a stream of the simulated driver, which is in the library: programs cannot call it. It returns 0 on an error.
//
//export simStream
func simStream(device int32) uintptr {
	s, err := cuda.Device(device).NewStream(cuda.NonBlocking)
	if err != nil {
		return 0
	}
	return s.Handle()
}

// simMachine starts over with two devices, whose streams advance.
//
//export simMachine
func simMachine() { sim.Reset(sim.Config{Schedule: 1}) }
