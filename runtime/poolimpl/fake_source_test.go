package poolimpl

import (
	"errors"
	"sync"
	"testing"
)

// fakeSource allocates addresses without memory, and counts them.
type fakeSource struct {
	mu      sync.Mutex
	next    uint64
	given   map[uint64]int64
	bytes   int64
	most    int64
	sizes   []int64 // of all allocated chunks, in order
	allocs  int     // calls
	frees   int
	onAlloc func(call int) error // called without the lock; may block or panic
	onFree  func(call int) error
	onTake  func(Chunk) // called with each chunk that is freed
	t       testing.TB
}

var errNoMemory = errors.New("no memory left")

func (s *fakeSource) Alloc(size, align int64) (Chunk, error) {
	s.mu.Lock()
	s.allocs++
	call, hook := s.allocs, s.onAlloc
	s.mu.Unlock()
	if hook != nil {
		if err := hook(call); err != nil {
			return Chunk{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given == nil {
		s.given, s.next = map[uint64]int64{}, 1<<20
	}
	unit := uint64(max(align, 1))
	addr := (s.next + unit - 1) &^ (unit - 1)
	s.next = addr + uint64(size)
	s.given[addr] = size
	s.bytes += size
	s.most = max(s.most, s.bytes)
	s.sizes = append(s.sizes, size)
	return Chunk{Addr: addr, Size: size}, nil
}

func (s *fakeSource) Free(c Chunk) error {
	s.mu.Lock()
	s.frees++
	call, hook := s.frees, s.onFree
	s.mu.Unlock()
	if hook != nil {
		defer func() { // a chunk whose free panics is lost
			if v := recover(); v != nil {
				s.take(c)
				panic(v)
			}
		}()
		if err := hook(call); err != nil {
			return err
		}
	}
	s.take(c)
	return nil
}

func (s *fakeSource) take(c Chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given[c.Addr] != c.Size || c.Size == 0 {
		s.t.Errorf("source frees %d bytes at %#x, allocated %d", c.Size, c.Addr, s.given[c.Addr])
	}
	if s.onTake != nil {
		s.onTake(c)
	}
	delete(s.given, c.Addr)
	s.bytes -= c.Size
}

// calls counts the calls of Alloc.
func (s *fakeSource) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allocs
}

// held returns the bytes that are allocated and not freed.
func (s *fakeSource) held() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}
