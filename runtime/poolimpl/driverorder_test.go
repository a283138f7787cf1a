package poolimpl

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// orderedRig is a pool with ordering driver.
type orderedRig struct {
	Engine
	DriverBlocks
	config Config
	source *boundSource
	onFree func() error // called by each free on a stream
}

func newOrderedRig(t testing.TB) *orderedRig {
	p := &orderedRig{source: &boundSource{fakeSource: &fakeSource{t: t}, line: newTimeline()}}
	p.config = Config{
		Name: "test.Ordered", Allocator: "device", Binder: p, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1, Limit: 1000, WaitTimeout: 1e9,
		Ladder: []Rung{{Kind: RungError}}, Ordering: orderingDriver,
	}
	t.Cleanup(func() { p.name.unregister(&p.Engine) })
	return p
}

func (p *orderedRig) ready() *Engine { return p.Init(&p.config, &p.DriverBlocks) }

func (p *orderedRig) Bind(ask Binding) (Bound, error) {
	bound, err := p.source.Bind(ask)
	bound.Streams = p
	return bound, err
}

func (p *orderedRig) Alloc(size, align int64) (Chunk, error) { return p.source.Alloc(size, align) }
func (p *orderedRig) Free(c Chunk) error                     { return p.source.Free(c) }
func (p *orderedRig) AllocOn(_ Stream, size, align int64) (Chunk, error) {
	return p.source.Alloc(size, align)
}
func (p *orderedRig) FreeBehind(_ Stream, c Chunk) error { return p.source.Free(c) }
func (p *orderedRig) Observe(Stream)                     {}
func (p *orderedRig) TrimUnused() error                  { return nil }

func (p *orderedRig) FreeOn(_ Stream, c Chunk) error {
	if p.onFree != nil {
		if err := p.onFree(); err != nil {
			return err
		}
	}
	return p.source.Free(c)
}

// While the driver fails to free a block, another free of it is refused. Then the block is live again, and one free of it succeeds.
func TestFreeDuringAFailingFree(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	b, err := p.ready().AllocInOrder(s, 100, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("cause")
	free := func() error { return p.ready().FreeInOrder(s, b.Addr, 100) }
	p.onFree = func() error {
		if err := free(); !errors.Is(err, poolrt.ErrDoubleFree) {
			t.Errorf("a second free meanwhile: %v", err)
		}
		return cause
	}
	if err := free(); !errors.Is(err, cause) || !errors.Is(err, poolrt.ErrNotReturned) {
		t.Errorf("the free: %v", err)
	}
	if st := p.ready().Stats(); st.Live != 1 || st.Reserved != 100 {
		t.Errorf("%+v", st)
	}
	p.onFree = nil
	if err := free(); err != nil {
		t.Errorf("the free after the failure: %v", err)
	}
	if err := free(); !errors.Is(err, poolrt.ErrDoubleFree) {
		t.Errorf("another free: %v", err)
	}
	if st := p.ready().Stats(); st.Live != 0 || st.Reserved != 0 {
		t.Errorf("%+v", st)
	}
}

// A pool remembers 64 streams. A further one takes the place of one on which nothing was freed lately.
func TestFreedOn(t *testing.T) {
	var f freedOn
	for id := range uint64(mostStreams) {
		f.note(Stream{ID: id * 7})
		f.note(Stream{ID: id * 7})
	}
	if n := len(f.list()); n != mostStreams {
		t.Errorf("%d streams", n)
	}
	f.note(Stream{ID: 1000}) // it passes all once, and replaces the first
	kept := Stream{ID: 2000}
	f.note(kept)
	for id := range uint64(40) {
		f.note(kept)
		f.note(Stream{ID: 3000 + id})
	}
	if _, known := f.find(kept); !known || len(f.list()) != mostStreams {
		t.Errorf("a stream that frees all the time was forgotten: %v", f.list())
	}
}

// freeSource is a StreamSource that costs nothing.
type freeSource struct{ StreamSource }

func (freeSource) AllocOn(_ Stream, size, _ int64) (Chunk, error) {
	return Chunk{Addr: 1 << 30, Size: size, Origin: 1 << 30}, nil
}
func (freeSource) FreeOn(Stream, Chunk) error { return nil }

// BenchmarkDriverOrder measures what a pool with ordering driver adds to the two calls of a driver that cost nothing.
func BenchmarkDriverOrder(b *testing.B) {
	p := newOrderedRig(b)
	e := p.ready()
	s := Stream{Handle: 1, ID: 1}
	if _, err := e.AllocInOrder(s, 1, 1, 1); err != nil { // opens the pool
		b.Fatal(err)
	}
	p.DriverBlocks.source = freeSource{}
	for b.Loop() {
		block, err := e.AllocInOrder(s, 100, 1, 1)
		if err == nil {
			err = e.FreeInOrder(s, block.Addr, 100)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// If the driver's side panics, the block of that call is lost: it does not count, its bytes can be had by others, and the pool can be closed.
func TestDriverPanics(t *testing.T) {
	s := Stream{Handle: 1, ID: 1}
	alloc := func(p *orderedRig) (uint64, error) {
		b, err := p.ready().AllocInOrder(s, 100, 1, 1)
		return b.Addr, err
	}
	strike := func(int) error { panic("the driver's side") }
	for name, play := range map[string]func(p *orderedRig, addr uint64){
		"alloc on a stream": func(p *orderedRig, _ uint64) { p.source.onAlloc = strike; _, _ = p.ready().AllocInOrder(s, 100, 1, 1) },
		"alloc":             func(p *orderedRig, _ uint64) { p.source.onAlloc = strike; _, _ = p.ready().Alloc(100, 1, 1) },
		"free on a stream":  func(p *orderedRig, addr uint64) { p.source.onFree = strike; _ = p.ready().FreeInOrder(s, addr, 100) },
		"free":              func(p *orderedRig, addr uint64) { p.source.onFree = strike; _ = p.ready().Free(addr, 100) },
		"retry": func(p *orderedRig, addr uint64) {
			for range 2 { // as if the driver had not taken them back
				c, _ := p.source.Alloc(100, 1)
				p.claim(c.Size)
				p.unused.add(c)
			}
			p.source.onFree = strike
			p.ready().Poll()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newOrderedRig(t)
			addr, err := alloc(p)
			if err != nil {
				t.Fatal(err)
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				play(p, addr)
			}()
			p.source.onAlloc, p.source.onFree = nil, nil
			st := p.ready().Stats()
			if st.Reserved != 100*st.Live+p.unused.bytes() {
				t.Errorf("%d bytes for %d live blocks, and %d that were not taken back", st.Reserved, st.Live, p.unused.bytes())
			}
			if err := p.ready().CloseForce(func() { p.DriverBlocks = DriverBlocks{} }); err != nil {
				t.Error(err)
			}
		})
	}
}
