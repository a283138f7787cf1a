package main

import "strings"

// subject is a pool that is measured, in one line.
type subject struct {
	Name  string
	Pool  string // of tests/pools/bench/pools, or tests/pools/bench/devices
	Loops string // the template of its loops: blocks, bytes, ring or bump
	Goals string // by threads, ns or multiples of references; "many" for more than one
	Moved string // the same, for blocks that another thread frees
}

// onDevice reports whether a pool has device memory, by its name.
func (s subject) onDevice() bool { return strings.HasPrefix(s.Pool, "Device") }

// Alone reports whether a pool has no lock, by its name: one thread measures it.
func (s subject) Alone() bool { return strings.HasSuffix(s.Name, ", none") }

// Kind is the load, by which the report groups subjects for comparison.
func (s subject) Kind() string {
	if s.onDevice() {
		return "device " + s.Loops
	}
	return s.Loops
}

// Package is the package of the pool.
func (s subject) Package() string {
	if s.onDevice() {
		return "devices"
	}
	return "pools"
}

// Block is the type of the pool's blocks.
func (s subject) Block() string {
	switch {
	case s.onDevice() && s.Loops == "blocks":
		return "devices." + s.Pool + "Ptr"
	case s.onDevice():
		return "devices." + s.Pool + "Span"
	case s.Loops == "blocks":
		return "*block"
	}
	return "[]byte"
}

// subjects are in the order of the report.
var subjects = []subject{
	{"fixed, none", "Grow", "blocks", "", ""},
	{"fixed, mutex", "Locked", "blocks", "1: 1.25 R_mu2, many: 1.25 R_mu2", ""},
	{"fixed, sharded", "FixedSharded", "blocks", "1: 0.75 R_mu2, 16: 2 ns", "2: 60 ns, 16: 30 ns"},
	{"fixed, magazine", "FixedMagazine", "blocks", "1: 1.8 R_pin2, 16: 0.8 ns", "2: 40 ns, 16: 5 ns"},
	{"heap, none", "Large", "bytes", "", ""},
	{"heap, mutex", "HeapMutex", "bytes", "1: 90 ns, many: 1.4 R_mu2", ""},
	{"heap, sharded", "HeapSharded", "bytes", "1: 90 ns, 16: 10 ns", ""},
	{"binned, none", "Binned", "bytes", "", ""},
	{"binned, mutex", "BinnedLocked", "bytes", "", ""},
	{"binned, sharded", "BinnedSharded", "bytes", "1: 25 ns, 16: 6 ns", ""},
	{"classes, none", "Classes", "bytes", "", ""},
	{"classes, mutex", "ClassesLocked", "bytes", "", ""},
	{"classes, sharded", "ClassesSharded", "bytes", "1: 25 ns, 16: 6 ns", ""},
	{"ring, none", "Ring", "ring", "", ""},
	{"ring, mutex", "RingLocked", "ring", "", ""},
	{"ring, sharded", "RingSharded", "ring", "", ""},
	{"bump, none", "Bump", "bump", "", ""},
	{"bump, mutex", "BumpLocked", "bump", "", ""},
	{"bump, sharded", "BumpSharded", "bump", "", ""},
	{"device: fixed, mutex", "DeviceFixed", "blocks", "", ""},
	{"device: fixed, sharded", "DeviceFixedSharded", "blocks", "", ""},
	{"device: heap, mutex", "DeviceHeap", "bytes", "", ""},
	{"device: heap, sharded", "DeviceHeapSharded", "bytes", "", ""},
	{"device: classes, mutex", "DeviceClasses", "bytes", "", ""},
	{"device: classes, sharded", "DeviceClassesSharded", "bytes", "", ""},
}
