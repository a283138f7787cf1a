package poolimpl

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Lookup is what the core of a shareable pool has to have.
func (c *fakeCore) Lookup(addr, bytes uint64) Verdict {
	for _, ch := range c.chunks {
		for _, b := range ch.blocks {
			if ch.base+b.off == addr && b.size == bytes {
				return Freed
			}
		}
	}
	if c.freed[addr] {
		return Double
	}
	return Foreign
}

var errShare = errors.New("the driver does not share")

// share shares a block. used and err are the results of the driver's call.
func (p *rig) share(b block, used bool, err error) error {
	return p.ready().Share(b.addr, b.bytes, func(_ any, c Chunk) (bool, error) {
		if b.addr-c.Addr >= uint64(c.Size) {
			p.t.Errorf("block %d is not in the chunk at %d", b.addr, c.Addr)
		}
		return used, err
	})
}

// A chunk of which a block was shared is not released; others are.
func TestShareKeepsChunk(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{} })
	a, b := p.mustAlloc(100), p.mustAlloc(100)
	wantErr(t, "share", p.share(a, true, nil), nil)
	wantErr(t, "share", p.share(b, false, errShare), errShare)
	p.mustFree(a, b)
	if s := p.ready().Stats(); s.Reserved != 100 {
		t.Errorf("%+v", s)
	}
	p.mustTrim()
	wantErr(t, "limit", p.ready().SetLimit(99), poolrt.ErrLive)
	wantErr(t, "share a free block", p.share(a, true, nil), poolrt.ErrDoubleFree)
	wantErr(t, "share a foreign block", p.share(block{1, 1}, true, nil), poolrt.ErrForeign)
	if c := p.mustAlloc(100); c != a {
		t.Error("the chunk is not used again")
	}
	wantErr(t, "close", p.closeForce(), nil)
	wantErr(t, "share when closed", p.share(a, true, nil), poolrt.ErrClosed)
	wantErr(t, "export when closed", p.ready().Export(func(any) error { return nil }), poolrt.ErrClosed)
}

// The memory of a block that is freed while it is being shared is not released until Share has succeeded or failed.
func TestFreedWhileShared(t *testing.T) {
	for _, ladder := range [][]Rung{nil, directLadder} {
		for _, used := range []bool{true, false} {
			p := newRig(t, func(c *Config) { c.Trim, c.Limit = &TrimPolicy{}, 1000; c.Ladder = ladder })
			bytes, free := uint64(100), p.free
			if ladder != nil {
				bytes, free = 150, func(b block) error { return freeDirect(p, b) }
			}
			b := p.mustAlloc(bytes)
			before := p.ready().Stats().Reserved
			_ = p.ready().Share(b.addr, b.bytes, func(any, Chunk) (bool, error) {
				wantErr(t, "free", free(b), nil)
				if s := p.ready().Stats(); s.Reserved != before || s.Live != 0 {
					t.Errorf("while it is shared: %+v", s)
				}
				return used, nil
			})
			if s := p.ready().Stats(); (s.Reserved == before) != used || !used && s.Reserved != 0 {
				t.Errorf("used %v: %+v, before %d", used, s, before)
			}
			wantErr(t, "close", p.closeForce(), nil)
		}
	}
}

// imports makes an imported pool.
func imports(t *testing.T, options ...poolrt.Option) *streamRig {
	t.Helper()
	p := newStreamRig(t, func(c *Config) { c.Prime, c.Limit = 100, 300 })
	fatal.If(t, p.ready().Import(func(b Binder) (Binder, error) { return b, nil }, options...))
	t.Cleanup(p.ended)
	return p
}

// adopt opens a shared block.
func (p *streamRig) adopt(bytes uint64) (block, error) {
	b, err := p.ready().Adopt(bytes, func(any) (Chunk, error) { return p.source.Alloc(int64(bytes), 1) })
	return block{b.Addr, bytes}, err
}

// freeAdopted frees an opened block, on a stream unless it is nil.
func (p *streamRig) freeAdopted(b block, s *Stream) error {
	e := p.ready()
	return e.observed.free(e, Call{}, b.addr, b.bytes, s, nil)
}

// An opened block is live until it is freed. The limit and the ladder of the pool file do not apply to it.
func TestAdopt(t *testing.T) {
	p := imports(t)
	_, err := p.alloc(10)
	wantErr(t, "alloc", err, poolrt.ErrUnsupported)
	a, err := p.adopt(1000)
	wantErr(t, "adopt", err, nil)
	if s := p.ready().Stats(); s.Live != 1 || s.LiveBytes != 1000 || s.Reserved != 1000 || s.Chunks != 1 || s.Allocs != 1 || s.Limit != poolrt.NoLimit {
		t.Errorf("%+v", s)
	}
	wantErr(t, "close", p.close(), poolrt.ErrLive)
	wantErr(t, "wrong length", p.freeAdopted(block{a.addr, 999}, nil), poolrt.ErrForeign)
	wantErr(t, "free", p.freeAdopted(a, nil), nil)
	wantErr(t, "free twice", p.freeAdopted(a, nil), poolrt.ErrDoubleFree)
	b, err := p.adopt(50)
	wantErr(t, "adopt", err, nil)
	wantErr(t, "free on a stream", p.freeAdopted(b, &s1), nil)
	if s := p.ready().Stats(); s.Live != 0 || s.Pending != 1 || s.Reserved != 50 {
		t.Errorf("%+v", s)
	}
	_, err = p.adopt(0)
	wantErr(t, "nothing", err, poolrt.ErrBadSize)
	wantErr(t, "share", p.ready().Share(b.addr, b.bytes, nil), poolrt.ErrUnsupported)
	wantErr(t, "export", p.ready().Export(nil), poolrt.ErrUnsupported)
	wantErr(t, "close", p.close(), nil) // waits for the stream
	_, err = p.adopt(1)
	wantErr(t, "adopt when closed", err, poolrt.ErrClosed)
}

// A block that cannot be opened does not change the pool; a block that cannot be closed is closed later.
func TestAdoptFails(t *testing.T) {
	p := imports(t, poolrt.WithLimit(100))
	before := p.ready().Stats()
	_, err := p.ready().Adopt(10, func(any) (Chunk, error) { return Chunk{}, errShare })
	wantErr(t, "adopt", err, errShare)
	if after := p.ready().Stats(); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
	a, err := p.adopt(60)
	wantErr(t, "adopt", err, nil)
	_, err = p.adopt(41)
	wantErr(t, "above the limit", err, poolrt.ErrLimit)
	_, err = p.adopt(101)
	wantErr(t, "above the limit alone", err, poolrt.ErrTooLarge)
	p.source.onFree = func(call int) error {
		if call == 1 {
			return errShare
		}
		return nil
	}
	wantErr(t, "free", p.freeAdopted(a, nil), nil)
	if s := p.ready().Stats(); s.Reserved != 60 || s.Live != 0 {
		t.Errorf("%+v", s)
	}
	_, err = p.adopt(100) // closes the other block before
	wantErr(t, "adopt", err, nil)
	wantErr(t, "close", p.closeForce(), nil)
}

// A pool whose import failed is closed and reserves nothing; a pool in use cannot be imported.
func TestImportFails(t *testing.T) {
	as := func(b Binder) (Binder, error) { return b, nil }
	p := newStreamRig(t, nil)
	wantErr(t, "bad limit", p.ready().Import(as, poolrt.WithLimit(-1)), poolrt.ErrBadSize)
	wantErr(t, "again", p.ready().Import(as), poolrt.ErrLive)
	wantErr(t, "close", p.closeForce(), nil)
	q := newStreamRig(t, nil)
	q.source.err = poolrt.ErrNoDriver
	wantErr(t, "no driver", q.ready().Import(as), poolrt.ErrNoDriver)
	q.ended()
	r := newStreamRig(t, nil)
	wantErr(t, "no binder", r.ready().Import(func(Binder) (Binder, error) { return nil, poolrt.ErrUnsupported }), poolrt.ErrUnsupported)
	must1(t, 0, r.ready().Open())
	wantErr(t, "used", r.ready().Import(as), poolrt.ErrLive)
	_, err := r.adopt(1)
	wantErr(t, "adopt at home", err, poolrt.ErrUnsupported)
	wantErr(t, "close", r.close(), nil)
	r.ended()
}

// A pool that is being imported is listed already, so others ask about it meanwhile.
func TestImportWhileListed(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.Locked = true })
	e, done := p.ready(), make(chan struct{})
	go func() {
		defer close(done)
		if got := e.Requested(); got != e.generated.Allocator { // takes no lock, so the race detector compares this access with the import's
			t.Errorf("requested: %q", got)
		}
		_ = e.Leaks()
	}()
	wantErr(t, "import", e.Import(func(b Binder) (Binder, error) { return b, nil }), nil)
	<-done
	wantErr(t, "close", p.closeForce(), nil)
}
