package main

import "strings"

// subject is a pool that is measured, in one line.
type subject struct {
	Name  string
	Pool  string // of tests/pools/bench/pools, or tests/pools/bench/devices
	Loops string // the template of its loops: blocks, bytes, bytesMany, ring, bump, or one of onStreams
	Goals string // by threads, ns or multiples of references or of C allocators; "many" for more than one
	Moved string // the same, for blocks that another thread frees
}

// onStreams are the loops of pools that are ordered with streams: each worker has a stream of its own. They do not move blocks, and single allocs are not
// measured.
var onStreams = map[string]bool{"pair": true, "eight": true, "churn": true, "many": true, "length": true, "async": true, "asyncBytes": true}

// OnStreams reports whether the loops of a subject are for streams.
func (s subject) OnStreams() bool { return onStreams[s.Loops] }

// Moves reports whether the loops of a subject also move blocks between threads, and measure single allocs.
func (s subject) Moves() bool { return !s.OnStreams() && s.Loops != "bytesMany" }

// onDevice reports whether a pool has device memory, by its name.
func (s subject) onDevice() bool { return strings.HasPrefix(s.Pool, "Device") || s.OnStreams() }

// Alone reports whether one thread measures a subject: its pool has no lock, by its name, or it is about one stream or misses of the cache.
func (s subject) Alone() bool {
	return strings.Contains(s.Name, ", none") || s.Loops == "length" || s.Loops == "bytesMany"
}

// Start is the function that starts a session.
func (s subject) Start() string {
	if s.Moves() {
		return "local" + s.Pool
	}
	return s.Loops + s.Pool
}

// Live is the number of live blocks of each worker in a churn.
func (s subject) Live() string {
	if s.Loops == "many" || s.Loops == "bytesMany" {
		return "manyLive"
	}
	return "live"
}

// Template is the name of the loops' template.
func (s subject) Template() string {
	if s.Loops == "many" {
		return "churn"
	}
	return s.Loops
}

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
	case s.onDevice() && strings.Contains(s.Pool, "Fixed"):
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
	{"heap, none", "Large", "bytesMany", "", ""},
	{"heap, mutex", "HeapMutex", "bytesMany", "1: 120 ns", ""},
	{"heap, sharded", "HeapSharded", "bytesMany", "", ""},
	{"binned, none", "Binned", "bytesMany", "1: 1.5 tcmalloc", ""},
	{"binned, mutex", "BinnedLocked", "bytesMany", "1: 83 ns", ""},
	{"binned, sharded", "BinnedSharded", "bytesMany", "1: 2 tcmalloc", ""},
	{"classes, none", "Classes", "bytesMany", "1: 1.5 tcmalloc", ""},
	{"classes, mutex", "ClassesLocked", "bytesMany", "1: 83 ns", ""},
	{"classes, sharded", "ClassesSharded", "bytesMany", "1: 2 tcmalloc", ""},
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
	{"fixed, mutex: on a stream of its own", "StreamFixed", "pair", "", ""},
	{"fixed, sharded: on a stream of its own", "StreamFixedSharded", "pair", "1: 3.2 R_mu2, many: 7 R_add2, 16: 10 ns", ""},
	{"fixed, mutex: 8 in flight", "StreamFixed", "eight", "", ""},
	{"fixed, sharded: 8 in flight", "StreamFixedSharded", "eight", "1: 3.6 R_mu2, many: 8 R_add2, 16: 10 ns", ""},
	{"heap, mutex: churn on streams", "StreamHeap", "churn", "", ""},
	{"heap, sharded: churn on streams", "StreamHeapSharded", "churn", "16: 40 ns", ""},
	{"heap, mutex: churn on streams, 100,000 live", "StreamHeap", "many", "", ""},
	{"heap, sharded: churn on streams, 100,000 live", "StreamHeapSharded", "many", "16: 60 ns", ""},
	{"heap, none: one length", "StreamHeapNone", "length", "1: 35 ns", ""},
	{"heap, mutex: one length", "StreamHeap", "length", "1: 1 R_mu2+15", ""},
	{"heap, sharded: one length", "StreamHeapSharded", "length", "", ""},
	{"fixed, sharded: FreeAsync", "StreamFixedSharded", "async", "1: 80 ns, 16: 20 ns", ""},
	{"heap, mutex: FreeAsync", "StreamHeap", "asyncBytes", "", ""},
	{"heap, sharded: FreeAsync", "StreamHeapSharded", "asyncBytes", "1: 80 ns, 16: 20 ns", ""},
}
