package main

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
)

// kernels are what runs on the device. Their source is in kernels_gpu.go, and what stands for them on a simulated device in kernels_sim.go.
type kernels struct {
	module     cuda.Module
	look, note cuda.Kernel
}

// loadKernels loads them on a device.
func loadKernels(d cuda.Device) (k kernels, err error) {
	if k.module, err = d.LoadModule(source()); err != nil {
		return k, err
	}
	var errs [2]error
	k.look, errs[0] = k.module.Kernel("look")
	k.note, errs[1] = k.module.Kernel("note")
	if err := errors.Join(errs[:]...); err != nil {
		return k, errors.Join(err, k.module.Close())
	}
	return k, nil
}

// lookAt puts the pages that a view sees into a list, each once a frame: the numbers of misses and hits, room for the ones, room for the others.
func (k kernels) lookAt(v View, t table, list TransferSpan, rooms [2]uint32, frame uint32, s cuda.Stream) error {
	pixels := v.Width * v.Height
	return k.look.Launch(threads(pixels, s), v.Texture.sampler.Addr(), t.there.Addr(), t.seen.Addr(), list.Addr(),
		rooms[0], rooms[1], frame, v.X, v.Y, v.Step, v.Width, pixels)
}

// mark puts a list of changes into the table.
func (k kernels) mark(t table, list TransferSpan, s cuda.Stream) error {
	n := uint32(list.Len())
	return k.note.Launch(threads(n, s), t.there.Addr(), list.Addr(), n)
}

// threads is the shape of a launch with a thread for each of n numbers.
func threads(n uint32, s cuda.Stream) cuda.Config {
	return cuda.Config{Grid: [3]uint32{(n + 255) / 256}, Block: [3]uint32{256}, Stream: s}
}
