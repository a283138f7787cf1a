package sharded

import (
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// A soak finds each fault of a pool that occurs in one call of a thousand.
func TestSoakNotices(t *testing.T) {
	for name, fault := range map[string]func(f *faulty){
		"a live block handed out": func(f *faulty) { f.again = true },
		"a part of a live block":  func(f *faulty) { f.part = true },
		"a block written to":      func(f *faulty) { f.scribble = true },
		"a free forgotten":        func(f *faulty) { f.forget = true },
	} {
		make := func() soakPool {
			f := &faulty{soakPool: new(pools.HeapPool)}
			fault(f)
			return f
		}
		if _, err := soak(freely(name, 1, make), 100_000, 1); err == nil {
			t.Errorf("%s: the fault was not found", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

// faulty is a pool with a fault in one call of a thousand.
type faulty struct {
	soakPool
	calls                         int
	last                          []byte
	again, part, scribble, forget bool
}

func (f *faulty) Alloc(n int) ([]byte, error) {
	f.calls++
	now := f.calls%1000 == 0 && len(f.last) > word
	switch {
	case f.again && now:
		return f.last, nil
	case f.part && now:
		return f.last[word:], nil
	}
	b, err := f.soakPool.Alloc(n)
	if err == nil {
		f.last = b
	}
	return b, err
}

func (f *faulty) Free(b []byte) error {
	if unsafe.SliceData(b) == unsafe.SliceData(f.last) {
		f.last = nil
	}
	now := f.calls%1000 == 1
	if f.scribble && now && f.last != nil {
		f.last[len(f.last)&^(word-1)-1]++
	}
	if f.forget && now {
		return nil
	}
	return f.soakPool.Free(b)
}
