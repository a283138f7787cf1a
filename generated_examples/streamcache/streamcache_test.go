package streamcache

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// ok stops the test on an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open makes a pool and two streams, which end with the test and must leave nothing behind.
func open(t *testing.T) (p *BufferPool, a, b cuda.Stream) {
	t.Helper()
	machine(t)
	p, err := NewBufferPool(poolrt.OnDevice(0))
	ok(t, err)
	var s [2]cuda.Stream
	for i := range s {
		s[i], err = cuda.Device(0).NewStream(cuda.NonBlocking)
		ok(t, err)
	}
	t.Cleanup(func() {
		for _, s := range s {
			ok(t, s.Close())
		}
		ok(t, p.Close())
	})
	return p, s[0], s[1]
}

// Two goroutines with a stream each share the cache, which does not grow beyond what they have in use at the same time.
func TestTwoStreams(t *testing.T) {
	p, a, b := open(t)
	var done sync.WaitGroup
	for _, s := range []cuda.Stream{a, b} {
		done.Go(func() {
			if err := Work(p, s, 200); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if s := p.Stats(); s.Allocs != 1600 || s.Frees != 1600 || s.Live != 0 || s.Reserved > 32<<20 {
		t.Errorf("%+v", s)
	}
}

// What one stream has written stays until it was copied, though the block was freed on that stream and the other stream asks for memory
// all the time.
func TestFreedBlockIsNotTaken(t *testing.T) {
	p, a, b := open(t)
	want, got := bytes.Repeat([]byte{7}, 1<<20), make([]byte, 1<<20)
	for range 20 {
		x, err := p.AllocOn(len(want), a)
		ok(t, err)
		y, err := p.AllocOn(len(want), a)
		ok(t, err)
		ok(t, cuda.MemsetAsync(x.Addr(), 7, x.Bytes(), a))
		ok(t, p.CopyPeer(y, x, a))
		ok(t, p.FreeOn(x, a)) // the copy may not even have begun
		other, err := p.AllocOn(len(want), b)
		ok(t, err)
		ok(t, cuda.MemsetAsync(other.Addr(), 9, other.Bytes(), b))
		ok(t, p.FreeOn(other, b))
		ok(t, p.CopyToHost(got, y, a)) // waits
		ok(t, p.FreeOn(y, a))
		if !bytes.Equal(got, want) {
			t.Fatal("the other stream has written into the block")
		}
	}
}

// Trimming gives back what is cached, and the pool goes on.
func TestTrimThenAlloc(t *testing.T) {
	p, a, _ := open(t)
	ok(t, Work(p, a, 3))
	n := p.Poll() // puts a fence behind what was freed
	ok(t, a.Synchronize())
	if n += p.Poll(); n == 0 {
		t.Error("the stream has passed the frees, and none was reclaimed")
	}
	if s := p.Stats(); s.Pending != 0 || s.Cached == 0 {
		t.Errorf("%+v", s)
	}
	released, err := p.Trim(0)
	if s := p.Stats(); err != nil || released == 0 || s.Reserved != 0 || s.Cached != 0 {
		t.Errorf("released %d, %v, %+v", released, err, s)
	}
	ok(t, Work(p, a, 1))
}

// A block is freed once, on whichever stream, and only whole.
func TestFreedTwice(t *testing.T) {
	p, a, b := open(t)
	x, err := p.AllocOn(5000, a)
	ok(t, err)
	if err := p.FreeOn(x.Slice(0, 100), a); !errors.Is(err, poolrt.ErrForeign) {
		t.Errorf("a part: %v", err)
	}
	ok(t, p.FreeOn(x, a))
	for _, again := range []error{p.FreeOn(x, a), p.FreeOn(x, b), p.Free(x)} {
		if !errors.Is(again, poolrt.ErrDoubleFree) {
			t.Errorf("again: %v", again)
		}
	}
}
