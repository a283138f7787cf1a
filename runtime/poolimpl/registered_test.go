package poolimpl

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// fakeRegistrar knows chunks, and refuses as it is told.
type fakeRegistrar struct {
	known     map[uintptr]Chunk
	last      uintptr
	refuses   bool // to register
	holdsOn   bool // refuses to deregister
	unmatched int  // handles that it did not know
}

var errRegistrar = errors.New("the library refuses")

func (f *fakeRegistrar) Register(c Chunk) (uintptr, error) {
	if f.refuses {
		return 0, errRegistrar
	}
	if f.known == nil {
		f.known = map[uintptr]Chunk{}
	}
	f.last++
	f.known[f.last] = c
	return f.last, nil
}

func (f *fakeRegistrar) Deregister(handle uintptr) error {
	if f.holdsOn {
		return errRegistrar
	}
	if _, ok := f.known[handle]; !ok {
		f.unmatched++
	}
	delete(f.known, handle)
	return nil
}

func registeredRig(t *testing.T) *rig {
	return newRig(t, func(c *Config) { c.Registered = true })
}

// Registrars know each chunk as long as the source has it given to the pool.
func TestRegistrarsKnowChunks(t *testing.T) {
	p := registeredRig(t)
	var early, late fakeRegistrar
	must := func(err error) {
		t.Helper()
		fatal.If(t, err)
	}
	knows := func(a, b int) {
		t.Helper()
		if len(early.known) != a || len(late.known) != b {
			t.Errorf("%d and %d chunks are known, want %d and %d", len(early.known), len(late.known), a, b)
		}
	}
	must(p.ready().Attach(&early))
	must(p.ready().Attach(&early)) // changes nothing
	var blocks []block
	for range 3 {
		b, err := p.alloc(100)
		must(err)
		blocks = append(blocks, b)
	}
	knows(3, 0)
	must(p.ready().Attach(&late))
	knows(3, 3)
	must(p.free(blocks[0]))
	if n, err := p.ready().Trim(0); err != nil || n != 100 {
		t.Fatalf("Trim: %d, %v", n, err)
	}
	knows(2, 2)
	must(p.ready().Detach(&early))
	must(p.ready().Detach(&early))
	knows(0, 2)
	for _, b := range blocks[1:] {
		must(p.free(b))
	}
	must(p.close())
	knows(0, 0)
	if err := p.ready().Attach(&early); !errors.Is(err, poolrt.ErrClosed) {
		t.Errorf("Attach to a closed pool: %v", err)
	}
	must(p.ready().Detach(&late))
	if early.unmatched+late.unmatched > 0 {
		t.Error("deregistered twice")
	}
}

// If one registrar refuses a chunk, the pool does not grow and no other knows the chunk.
func TestRegistrarRefusesChunk(t *testing.T) {
	p := registeredRig(t)
	var willing, unwilling fakeRegistrar
	unwilling.refuses = true
	if _, err := p.alloc(100); err != nil {
		t.Fatal(err)
	}
	if err := p.ready().Attach(&unwilling); !errors.Is(err, errRegistrar) {
		t.Errorf("Attach: %v", err)
	}
	unwilling.refuses = false
	for _, r := range []*fakeRegistrar{&willing, &unwilling} {
		fatal.If(t, p.ready().Attach(r))
	}
	unwilling.refuses = true
	if _, err := p.alloc(100); !errors.Is(err, poolrt.ErrUnsupported) || !errors.Is(err, errRegistrar) {
		t.Errorf("Alloc: %v", err)
	}
	if len(willing.known) != 1 || p.Stats().Reserved != 100 || p.source.held()/100 != 1 {
		t.Errorf("%d chunks are known, %d bytes reserved, %d chunks out", len(willing.known), p.Stats().Reserved, p.source.held()/100)
	}
}

// A chunk that a registrar does not let go stays in the pool, until it does.
func TestRegistrarHoldsOn(t *testing.T) {
	p := registeredRig(t)
	var r fakeRegistrar
	fatal.If(t, p.ready().Attach(&r))
	b, err := p.alloc(100)
	fatal.If(t, err)
	r.holdsOn = true
	fatal.If(t, p.free(b))
	if n, err := p.ready().Trim(0); n != 0 || !errors.Is(err, poolrt.ErrNotReturned) {
		t.Errorf("Trim: %d, %v", n, err)
	}
	if p.source.held()/100 != 1 || len(r.known) != 1 {
		t.Errorf("%d chunks out, %d known", p.source.held()/100, len(r.known))
	}
	r.holdsOn = false
	if n, err := p.ready().Trim(0); n != 100 || err != nil || len(r.known) > 0 {
		t.Errorf("Trim: %d, %v; %d known", n, err, len(r.known))
	}
}

// A pool without the key has nobody know its chunks.
func TestAttachWithoutKey(t *testing.T) {
	p := newRig(t, nil)
	if err := p.ready().Attach(&fakeRegistrar{}); !errors.Is(err, poolrt.ErrUnsupported) {
		t.Errorf("Attach: %v", err)
	}
	if err := p.ready().Detach(&fakeRegistrar{}); err != nil {
		t.Errorf("Detach: %v", err)
	}
}
