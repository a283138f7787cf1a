package faults

import (
	"errors"
	"sync"
	"unsafe"
)

// errDry is the error of a call that has to fail.
var errDry = errors.New("dry")

// source is the allocator of all pools here. It hands out blocks of the Go heap, and keeps a list of them.
type source struct {
	mu        sync.Mutex
	blocks    map[unsafe.Pointer]block
	bytes     int64
	allocs    int // calls
	frees     int
	failAlloc int // the call that fails; 0: none, negative: each
	failFree  int
	failed    int // calls that did
	bad       int // frees of memory that it never allocated
}

// block is memory that the source allocated, with a reference that keeps it alive.
type block struct {
	memory []byte
	bytes  int64
}

var memory source

// strike reports whether a call has to fail.
func (s *source) strike(call, which int) bool {
	if which != call && which >= 0 {
		return false
	}
	s.failed++
	return true
}

// reset drops all blocks and counts.
func (s *source) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks, s.bytes, s.allocs, s.frees, s.failAlloc, s.failFree, s.failed, s.bad = map[unsafe.Pointer]block{}, 0, 0, 0, 0, 0, 0, 0
}

// fail makes the nth call from now fail; with a negative number, each call.
func (s *source) fail(alloc, free int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if alloc > 0 {
		alloc += s.allocs
	}
	if free > 0 {
		free += s.frees
	}
	s.failAlloc, s.failFree = alloc, free
}

// state returns the bytes that are allocated, the number of calls that have failed, and the number of bad frees.
func (s *source) state() (bytes int64, failed, bad int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes, s.failed, s.bad
}

func take(size, align int64) (unsafe.Pointer, error) {
	s := &memory
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allocs++
	if s.strike(s.allocs, s.failAlloc) {
		return nil, errDry
	}
	b := make([]byte, size+align)
	p := unsafe.Pointer(unsafe.SliceData(b))
	p = unsafe.Add(p, -int64(uintptr(p))&(align-1))
	s.blocks[p] = block{b, size}
	s.bytes += size
	return p, nil
}

func give(p unsafe.Pointer, size int64) error {
	s := &memory
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frees++
	if s.strike(s.frees, s.failFree) {
		return errDry
	}
	if s.blocks[p].bytes != size || size == 0 {
		s.bad++
	}
	delete(s.blocks, p)
	s.bytes -= size
	return nil
}
