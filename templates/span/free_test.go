package span

import (
	"context"
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

func closed(t *testing.T, p *Pool) {
	t.Helper()
	if s := p.ready().Stats(); s.Live != 0 || s.LiveBytes != 0 || s.RoundingBytes != 0 {
		t.Errorf("%d blocks with %d bytes and %d of rounding live at the end", s.Live, s.LiveBytes, s.RoundingBytes)
	}
}

// Each block is freed once, as it was handed out; anything else is refused and does no harm.
func TestFree(t *testing.T) {
	if !frees {
		t.Skip("this pool is only reset")
	}
	p := newPool(t)
	var live []mem.Span
	for n := 1; n <= 30; n++ {
		s, err := p.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		live = append(live, s)
	}
	for i := range live {
		s := live[(i*7)%len(live)] // 7 and 30 have no common factor: each once
		if err := p.Free(s); err != nil {
			t.Fatal(err)
		}
		if err := p.Free(s); !errors.Is(err, poolrt.ErrInvalidFree) {
			t.Fatalf("second free: %v", err)
		}
	}
	var none mem.Span
	if err := p.Free(none); !errors.Is(err, poolrt.ErrForeign) {
		t.Errorf("free of nothing: %v", err)
	}
	closed(t, p)
}

// With frees the block whatever happens in it, and an owner frees its block once.
func TestOwners(t *testing.T) {
	p := newPool(t)
	sorry := errors.New("sorry")
	if err := p.With(3, func(mem.Span) error { return sorry }); err != sorry {
		t.Errorf("With: %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = p.With(3, func(mem.Span) error { panic("oh") })
	}()
	closed(t, p)
	if err := p.With(3, nil); !errors.Is(err, poolrt.ErrNoFunc) {
		t.Errorf("With(nil): %v", err)
	}
	closed(t, p)

	owner, err := p.AllocRef(3)
	if err != nil {
		t.Fatal(err)
	}
	if mem.SpanBytes(owner.Get()) != 3*mem.ItemSize {
		t.Errorf("Get: %d bytes", mem.SpanBytes(owner.Get()))
	}
	if err := owner.Release(); err != nil {
		t.Error(err)
	}
	for _, owner := range []*Ref{&owner, {}} {
		var failed *poolrt.PoolError
		if err := owner.Release(); !errors.Is(err, poolrt.ErrDoubleFree) || !errors.As(err, &failed) {
			t.Errorf("second Release: %v", err)
		}
	}
	if owner, err = p.AllocRef(3); err != nil {
		t.Fatal(err)
	}
	if err := p.Free(owner.Detach()); err != nil {
		t.Error(err)
	}
	closed(t, p)
}

// A full pool refuses, and serves again what was freed.
func TestLimit(t *testing.T) {
	if config.Limit == poolrt.NoLimit && config.Source != nil {
		t.Skip("this pool has no limit")
	}
	p := newPool(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var live []mem.Span
	for {
		s, err := p.AllocContext(ctx, 50)
		if err != nil {
			if !errors.Is(err, poolrt.ErrLimit) {
				t.Fatalf("full pool: %v", err)
			}
			break
		}
		live = append(live, s)
	}
	if s := p.ready().Stats(); s.Reserved > s.Limit || s.Failures != 1 {
		t.Errorf("Reserved %d of %d, Failures %d", s.Reserved, s.Limit, s.Failures)
	}
	for _, s := range live {
		if err := p.Free(s); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, p)
	if s, err := p.Alloc(50); err != nil || p.Free(s) != nil {
		t.Errorf("after all were freed: %v", err)
	}
}
