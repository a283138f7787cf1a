package poolimpl

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// customRig is a pool whose memory comes from two functions.
type customRig struct {
	*rig
	next    func(size, align int64) unsafe.Pointer
	refuses bool // free fails
	given   map[unsafe.Pointer]int
}

func newCustomRig(t *testing.T, change func(*Config)) *customRig {
	c := &customRig{given: map[unsafe.Pointer]int{}}
	c.rig = newRig(t, func(config *Config) {
		config.Source = CustomSource(
			func(size, align int64) (unsafe.Pointer, error) {
				p := c.next(size, align)
				c.given[p]++
				return p, nil
			},
			func(p unsafe.Pointer, _ int64) error {
				if c.refuses {
					return errNoMemory
				}
				c.given[p]--
				return nil
			})
		config.Limit = 1000
		if change != nil {
			change(config)
		}
	})
	t.Cleanup(func() {
		for p, n := range c.given {
			if n != 0 {
				t.Errorf("%p was given %d times more often than taken back", p, n)
			}
		}
	})
	return c
}

// TestOverlap: memory that overlaps memory which the pool has is refused, and does not go back: blocks may be live there.
func TestOverlap(t *testing.T) {
	memory := make([]byte, 1000)
	at := func(off int) unsafe.Pointer { return unsafe.Pointer(&memory[off]) }
	for _, test := range []struct {
		off    int
		direct bool // the memory that the pool has is a direct block
		want   error
	}{
		{off: 400, want: poolrt.ErrOutOfMemory}, {off: 301, want: poolrt.ErrOutOfMemory}, {off: 499, want: poolrt.ErrOutOfMemory},
		{off: 400, direct: true, want: poolrt.ErrOutOfMemory}, {off: 301, direct: true, want: poolrt.ErrOutOfMemory}, {off: 499, direct: true, want: poolrt.ErrOutOfMemory},
		{off: 300}, {off: 500}, {off: 300, direct: true}, {off: 0},
	} {
		for _, refuses := range []bool{false, true} {
			c := newCustomRig(t, nil)
			if test.direct {
				c.config.Limit, c.config.Ladder, c.config.MaxChunk = 1000, directLadder, 50
			}
			offs := []int{700, 400, test.off, 900}
			c.next = func(int64, int64) (p unsafe.Pointer) {
				p, offs = at(offs[0]), offs[1:]
				return p
			}
			a, b := c.mustAlloc(100), c.mustAlloc(100)
			c.refuses = refuses
			x, err := c.alloc(100)
			wantErr(t, "alloc", err, test.want)
			if test.want != nil {
				c.given[at(test.off)]--
			}
			if s := c.Stats(); s.Unreturned != 0 || s.Reserved != 100*s.Live || s.Chunks != s.Live {
				t.Errorf("%+v, refuses %v: %+v", test, refuses, s)
			}
			c.refuses = false
			y := c.mustAlloc(100)
			for _, block := range []block{a, b, x, y} {
				if block.addr != 0 {
					wantErr(t, "free", c.freeAny(block), nil)
				}
			}
			wantErr(t, "close", c.close(), nil)
		}
	}
}

// freeAny frees a block in a chunk or a direct block.
func (c *customRig) freeAny(b block) error {
	if c.foreign.has(b.addr) {
		return freeDirect(c.rig, b)
	}
	return c.free(b)
}

// TestMisalignedAndRefused: misaligned memory that its allocator does not take back is unreturned until Close.
func TestMisalignedAndRefused(t *testing.T) {
	memory := make([]uint64, 100)
	c := newCustomRig(t, func(config *Config) { config.Alignment = 8 })
	c.next = func(int64, int64) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(&memory[0]), 1) }
	c.refuses = true
	_, err := c.alloc(10)
	wantErr(t, "alloc", err, poolrt.ErrOutOfMemory)
	if s := c.Stats(); s.Unreturned != 1 || s.UnreturnedBytes != 100 || s.Reserved != 100 || s.Live != 0 {
		t.Errorf("%+v", s)
	}
	wantErr(t, "close", c.close(), poolrt.ErrNotReturned)
	if s := c.Stats(); s.Unreturned != 1 || s.UnreturnedBytes != 100 {
		t.Errorf("%+v", s)
	}
	c.refuses = false
	wantErr(t, "close", c.close(), nil)
	if s := c.Stats(); s.Unreturned != 0 || s.Reserved != 0 {
		t.Errorf("%+v", s)
	}
}

// TestUnclearedAndRefused: a new chunk that cannot be cleared and is not taken back is unreturned until a later call.
func TestUnclearedAndRefused(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.ZeroChunks = true })
	fatal.If(t, p.ready().Open())
	failing := errors.New("cannot clear")
	p.memory.Zero = func(Chunk) error { return failing }
	p.memory.Zeroed = func() error { return nil }
	p.source.onFree = func(int) error { return errNoMemory }
	_, err := p.alloc(10)
	wantErr(t, "alloc", err, poolrt.ErrOutOfMemory)
	if s := p.Stats(); s.Unreturned < 1 || s.UnreturnedBytes != s.Reserved || p.source.held() != s.Reserved || !errors.Is(err, failing) || !errors.Is(err, errNoMemory) {
		t.Errorf("%v: %+v, the source has given %d", err, s, p.source.held())
	}
	p.source.onFree = nil
	p.Poll()
	if s := p.Stats(); s.Unreturned != 0 || s.Reserved != 0 || p.source.held() != 0 {
		t.Errorf("%+v", s)
	}
	wantErr(t, "close", p.close(), nil)
	p.ended()
}

// TestUnreleasedFence: a fence that the driver does not release is released by a later call or by Close, also if it could not be recorded.
func TestUnreleasedFence(t *testing.T) {
	p := newStreamRig(t, nil)
	b, err := p.allocOn(s1, 100)
	wantErr(t, "alloc", err, nil)
	p.line.use(s1)
	wantErr(t, "free", p.freeOn(b, s1), nil)
	failing := errors.New("cannot destroy")
	p.line.failFence, p.line.before = errors.New("cannot record"), func(call string) error {
		if call == "Release" {
			return failing
		}
		return nil
	}
	p.Poll() // records and fails
	if s := p.Stats(); s.Unreturned != 1 || s.UnreturnedBytes != 0 || s.Pending != 1 {
		t.Errorf("%+v", s)
	}
	p.line.completeAll()
	p.Poll()
	wantErr(t, "close", p.close(), poolrt.ErrNotReturned)
	p.line.before = nil
	wantErr(t, "close", p.close(), nil)
	if s := p.Stats(); s.Unreturned != 0 {
		t.Errorf("%+v", s)
	}
	p.ended()
}

// TestUnfinishedBind: what a Bind that failed could not return is returned by the next Bind or by Close.
func TestUnfinishedBind(t *testing.T) {
	for _, bound := range []bool{false, true} {
		p := newStreamRig(t, nil)
		left := 1
		refused := errors.New("cannot destroy")
		p.source.err, p.source.unfinished = errNoMemory, func() error {
			if refused != nil {
				return refused
			}
			left--
			return nil
		}
		_, err := p.alloc(10)
		wantErr(t, "alloc", err, errNoMemory)
		if s := p.Stats(); s.Unreturned != 1 {
			t.Errorf("%+v", s)
		}
		if !bound {
			wantErr(t, "close", p.close(), refused)
			refused = nil
		} else {
			p.source.err, refused = nil, nil
			b, err := p.alloc(10)
			wantErr(t, "alloc", err, nil)
			if left != 0 {
				t.Error("the next Bind does not try again")
			}
			wantErr(t, "free", p.free(b), nil)
		}
		wantErr(t, "close", p.close(), nil)
		if s := p.Stats(); s.Unreturned != 0 || left != 0 {
			t.Errorf("%d left: %+v", left, s)
		}
	}
}

// TestEndingsAreTriedAgain: what a failed Bind left is tried again by the calls that try to return chunks, also after a later Bind has succeeded.
func TestEndingsAreTriedAgain(t *testing.T) {
	for name, call := range map[string]func(p *streamRig) error{
		"alloc": func(p *streamRig) error {
			_, err := p.ready().Alloc(1, 100, 1) // grows
			return err
		},
		"poll": func(p *streamRig) error {
			p.Poll()
			return nil
		},
		"trim": func(p *streamRig) error {
			_, err := p.Trim(0)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newStreamRig(t, nil)
			refused := errors.New("cannot destroy")
			p.source.err, p.source.unfinished = errNoMemory, func() error { return refused }
			_, err := p.alloc(10)
			wantErr(t, "alloc", err, errNoMemory)
			p.source.err = nil
			_, err = p.alloc(10)
			wantErr(t, "alloc", err, nil)
			wantErr(t, "while the driver refuses", call(p), nil)
			if s := p.Stats(); s.Unreturned != 1 {
				t.Errorf("%+v", s)
			}
			refused = nil
			wantErr(t, "afterwards", call(p), nil)
			if s := p.Stats(); s.Unreturned != 0 {
				t.Errorf("%+v", s)
			}
			wantErr(t, "close", p.closeForce(), nil)
			p.ended()
		})
	}
}

// TestCloseWaitsForEndings: Close waits for a caller that is trying an ending again, and tries it again if that fails.
func TestCloseWaitsForEndings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newStreamRig(t, nil)
		tries := 0
		p.source.err, p.source.unfinished = errNoMemory, func() error {
			if tries++; tries > 1 {
				return nil
			}
			time.Sleep(time.Second)
			return errors.New("cannot destroy")
		}
		_, err := p.alloc(10)
		wantErr(t, "alloc", err, errNoMemory)
		go p.Poll()
		synctest.Wait()
		wantErr(t, "close", p.close(), nil)
		if s := p.Stats(); s.Unreturned != 0 || tries != 2 {
			t.Errorf("tried %d times: %+v", tries, s)
		}
	})
}
