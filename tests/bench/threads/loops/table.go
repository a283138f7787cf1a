package main

// subject is a pool that is measured, in one line.
type subject struct {
	Name  string
	Pool  string // of tests/bench/pools
	Kind  string // the template of its loops: blocks, bytes, ring or bump
	Goals string // by threads, ns or multiples of references; "many" for more than one
	Moved string // the same, for blocks that another thread frees
}

// subjects are in the order of the report.
var subjects = []subject{
	{"fixed, mutex", "Locked", "blocks", "1: 1.25 R_mu2, many: 1.25 R_mu2", ""},
	{"fixed, sharded", "FixedSharded", "blocks", "1: 0.75 R_mu2, 16: 2 ns", "2: 60 ns, 16: 30 ns"},
	{"heap, mutex", "HeapMutex", "bytes", "1: 90 ns, many: 1.4 R_mu2", ""},
	{"heap, sharded", "HeapSharded", "bytes", "1: 90 ns, 16: 10 ns", ""},
	{"binned, mutex", "BinnedLocked", "bytes", "", ""},
	{"binned, sharded", "BinnedSharded", "bytes", "1: 25 ns, 16: 6 ns", ""},
	{"classes, mutex", "ClassesLocked", "bytes", "", ""},
	{"classes, sharded", "ClassesSharded", "bytes", "1: 25 ns, 16: 6 ns", ""},
	{"ring, mutex", "RingLocked", "ring", "", ""},
	{"ring, sharded", "RingSharded", "ring", "", ""},
	{"bump, mutex", "BumpLocked", "bump", "", ""},
	{"bump, sharded", "BumpSharded", "bump", "", ""},
}
