package item

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// ready pools have room for at least this many blocks.
const room = 20

// newPool returns a pool that can hand out blocks: numbers have to be tracked first.
func newPool(t *testing.T) *Pool {
	p := new(Pool)
	if config.Source == nil {
		if err := p.ready().Track(100, room); err != nil {
			t.Fatal(err)
		}
	}
	if feature.Owns { // after many allocations
		for i := 0; !p.core.IsOwning() && i < 1<<18; i++ {
			if r, err := p.Alloc(); err != nil || p.Free(r) != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// drain takes blocks until the pool refuses, or a good many are taken.
func drain(t *testing.T, p *Pool) (refs []mem.Ref, err error) {
	for len(refs) < 10*room {
		r, err := p.Alloc()
		if err != nil {
			return refs, err
		}
		refs = append(refs, r)
	}
	return refs, nil
}

func closed(t *testing.T, p *Pool) {
	t.Helper()
	if s := p.ready().Stats(); s.Live != 0 || s.LiveBytes != 0 {
		t.Errorf("%d blocks with %d bytes live at the end", s.Live, s.LiveBytes)
	}
}

// Blocks are apart from each other, and freed once each; what is no live block is refused and does no harm.
func TestAllocFree(t *testing.T) {
	p := newPool(t)
	refs, err := drain(t, p)
	if err != nil && !errors.Is(err, poolrt.ErrLimit) {
		t.Fatal(err)
	}
	seen := map[uint64]bool{}
	for _, r := range refs {
		at := mem.Addr(r)
		if seen[at] {
			t.Fatalf("block %#x is handed out twice", at)
		}
		seen[at] = true
	}
	if s := p.ready().Stats(); s.Live != int64(len(refs)) || s.LiveBytes != int64(len(refs))*int64(mem.ItemSize) {
		t.Errorf("Live %d, LiveBytes %d for %d blocks of %d bytes", s.Live, s.LiveBytes, len(refs), mem.ItemSize)
	}
	for _, r := range refs {
		if err := p.Free(r); err != nil {
			t.Fatal(err)
		}
		if err := p.Free(r); !errors.Is(err, poolrt.ErrInvalidFree) {
			t.Fatalf("second free: %v", err)
		}
	}
	closed(t, p)
}

// A pool whose blocks are replaced again and again hands out each block at its place, whatever its chunk is.
func TestReplace(t *testing.T) {
	p := newPool(t)
	var refs []mem.Ref
	live := map[uint64]bool{}
	for len(refs) < 5000 {
		r, err := p.Alloc()
		if err != nil {
			break
		}
		refs = append(refs, r)
		live[mem.Addr(r)] = true
	}
	for i := range 3 * len(refs) {
		at := &refs[i*7919%len(refs)]
		if err := p.Free(*at); err != nil {
			t.Fatal(err)
		}
		live[mem.Addr(*at)] = false
		r, err := p.Alloc()
		if err != nil || live[mem.Addr(r)] {
			t.Fatalf("block %#x is handed out twice, or none: %v", mem.Addr(r), err)
		}
		*at, live[mem.Addr(r)] = r, true
	}
	for _, r := range refs {
		if err := p.Free(r); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, p)
}

// TryAlloc hands out what is there, and nothing where a chunk would have to be added.
func TestTryAlloc(t *testing.T) {
	p := new(Pool)
	if r, ok := p.TryAlloc(); ok {
		t.Fatalf("TryAlloc of an empty pool gives %v", r)
	}
	p = newPool(t)
	r, err := p.Alloc()
	if err != nil {
		t.Fatal(err)
	}
	s, ok := p.TryAlloc()
	if !ok || mem.Addr(r) == mem.Addr(s) {
		t.Fatalf("TryAlloc: %v, %t beside %v", s, ok, r)
	}
	if err := p.FreeBatch([]mem.Ref{r, s}); err != nil {
		t.Error(err)
	}
	closed(t, p)
}

// A batch is all or nothing, and frees of a batch do not stop at a bad block.
func TestBatch(t *testing.T) {
	p := newPool(t)
	batch := make([]mem.Ref, room/2)
	if n, err := p.AllocBatch(batch); n != len(batch) || err != nil {
		t.Fatalf("AllocBatch: %d, %v", n, err)
	}
	twice := append([]mem.Ref{batch[0]}, batch...)
	if err := p.FreeBatch(twice); !errors.Is(err, poolrt.ErrInvalidFree) {
		t.Errorf("FreeBatch with a block twice: %v", err)
	}
	closed(t, p)

	if config.Limit == poolrt.NoLimit && config.Source != nil {
		return // there is no batch too large
	}
	before := p.ready().Stats()
	huge := make([]mem.Ref, 1<<20)
	if n, err := p.AllocBatch(huge); n != 0 || !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("AllocBatch beyond the limit: %d, %v", n, err)
	}
	after := p.ready().Stats()
	if after.Failures != before.Failures+1 || after.Allocs != before.Allocs || after.Frees != before.Frees ||
		after.Reserved > before.Reserved || slices.ContainsFunc(huge, func(r mem.Ref) bool { return mem.Addr(r) != 0 }) {
		t.Errorf("a failed batch leaves a trace: %+v after %+v", after, before)
	}
	closed(t, p)
}

// With frees the block whatever happens in it, and an owner frees its block once.
func TestOwners(t *testing.T) {
	p := newPool(t)
	sorry := errors.New("sorry")
	if err := p.With(func(mem.Ref) error { return sorry }); err != sorry {
		t.Errorf("With: %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = p.With(func(mem.Ref) error { panic("oh") })
	}()
	closed(t, p)
	if err := p.With(nil); !errors.Is(err, poolrt.ErrNoFunc) {
		t.Errorf("With(nil): %v", err)
	}
	closed(t, p)

	owner, err := p.AllocRef()
	if err != nil {
		t.Fatal(err)
	}
	block := owner.Get()
	if err := owner.Release(); err != nil {
		t.Error(err)
	}
	for _, owner := range []*Ref{&owner, {}} {
		var failed *poolrt.PoolError
		if err := owner.Release(); !errors.Is(err, poolrt.ErrDoubleFree) || !errors.As(err, &failed) {
			t.Errorf("second Release of %v: %v", block, err)
		}
	}
	if owner, err = p.AllocRef(); err != nil {
		t.Fatal(err)
	}
	if err := p.Free(owner.Detach()); err != nil {
		t.Error(err)
	}
	closed(t, p)
}

// A context that has ended ends the wait of a full pool; it does not keep a pool with room from serving.
func TestContext(t *testing.T) {
	p := newPool(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := p.AllocContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if config.Limit != poolrt.NoLimit && config.Source != nil {
		rest, _ := drain(t, p)
		for err == nil {
			var more mem.Ref
			if more, err = p.AllocContext(ctx); err == nil {
				rest = append(rest, more)
			}
		}
		if !errors.Is(err, poolrt.ErrLimit) || config.Locked && !errors.Is(err, context.Canceled) {
			t.Errorf("full pool: %v", err)
		}
		if err := p.FreeBatch(rest); err != nil {
			t.Error(err)
		}
	}
	if err := p.Free(r); err != nil {
		t.Error(err)
	}
	closed(t, p)
}

// Blocks are zero when the pool zeroes, and as they were left when it does not. Numbers have no content, and Go code cannot address that of a device.
func TestContent(t *testing.T) {
	p := newPool(t)
	for range 3 {
		r, err := p.Alloc()
		if err != nil {
			t.Fatal(err)
		}
		if at := reflect.ValueOf(r); at.Kind() == reflect.Pointer {
			bytes := unsafe.Slice((*byte)(at.UnsafePointer()), mem.ItemSize)
			if zeroes && bytes[0] != 0 {
				t.Error("a block is not zero")
			}
			bytes[0] = 1
		}
		if err := p.Free(r); err != nil {
			t.Fatal(err)
		}
	}
}
