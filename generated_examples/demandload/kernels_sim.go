//go:build cudasim

package main

import (
	"encoding/binary"

	"github.com/poolgen/poolgen/cuda/sim"
)

// source registers Go functions as the kernels of simulated devices, which say what memory they use; any image will do then.
func source() []byte {
	sim.KernelUsing("look", lookOnHost, func(l *sim.Launch) []sim.MemoryUse {
		return []sim.MemoryUse{
			{Ptr: l.Uint64(0), Bytes: 16},
			{Ptr: l.Uint64(1), Bytes: 4 * tableLength},
			{Ptr: l.Uint64(2), Bytes: 4 * tableLength, Write: true},
			{Ptr: l.Uint64(3), Bytes: 4 * listLength(l), Write: true},
		}
	})
	sim.KernelUsing("note", noteOnHost, func(l *sim.Launch) []sim.MemoryUse {
		return []sim.MemoryUse{
			{Ptr: l.Uint64(0), Bytes: 4 * tableLength, Write: true},
			{Ptr: l.Uint64(1), Bytes: 4 * l.Uint64(2)},
		}
	})
	return []byte("kernels")
}

// numbers are an array of the device that a kernel works on.
type numbers []byte

func readNumbers(l *sim.Launch, at, n uint64) numbers {
	b := make(numbers, 4*n)
	l.Read(b, at)
	return b
}

func (b numbers) at(i uint32) uint32     { return binary.NativeEndian.Uint32(b[4*i:]) }
func (b numbers) set(i uint32, v uint32) { binary.NativeEndian.PutUint32(b[4*i:], v) }

// listLength is how many numbers the list of a launch of look has.
func listLength(l *sim.Launch) uint64 { return 2 + l.Uint64(4) + l.Uint64(5) }

// lookOnHost does what the kernel look does.
func lookOnHost(l *sim.Launch) {
	word := func(i int) uint32 { return uint32(l.Uint64(i)) }
	rooms, frame, x, y, step, width, pixels := [2]uint32{word(4), word(5)}, word(6), word(7), word(8), word(9), word(10), word(11)
	sampler, there := readNumbers(l, l.Uint64(0), 4), readNumbers(l, l.Uint64(1), tableLength)
	seen, list := readNumbers(l, l.Uint64(2), tableLength), readNumbers(l, l.Uint64(3), listLength(l))
	first, columns, rows, shift := sampler.at(0), sampler.at(1), sampler.at(2), sampler.at(3)
	for i := range pixels {
		column := (x + i%width*step) >> shift % columns
		row := (y + i/width*step) >> shift % rows
		page := first + row*columns + column
		if seen.at(page) == frame {
			continue
		}
		seen.set(page, frame)
		hit := there.at(page)
		n := list.at(hit)
		list.set(hit, n+1)
		if n < rooms[hit] {
			list.set(2+hit*rooms[0]+n, page)
		}
	}
	l.Write(l.Uint64(2), seen)
	l.Write(l.Uint64(3), list)
}

// noteOnHost does what the kernel note does.
func noteOnHost(l *sim.Launch) {
	there, list := readNumbers(l, l.Uint64(0), tableLength), readNumbers(l, l.Uint64(1), l.Uint64(2))
	for i := range uint32(l.Uint64(2)) {
		there.set(list.at(i)>>1, list.at(i)&1)
	}
	l.Write(l.Uint64(0), there)
}
