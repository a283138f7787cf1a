package faults

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// whole has the methods that all pools have.
type whole interface {
	Stats() poolrt.Stats
	Poll() int
	Trim(int64) (int64, error)
	Close() error
	CloseForce() error
}

// itemPool is a pool of blocks of one size.
type itemPool interface {
	whole
	Alloc() (*[96]byte, error)
	TryAlloc() (*[96]byte, bool)
	Free(*[96]byte) error
}

// spanPool is a pool of bytes; some also have frees of single blocks, or Reset.
type spanPool interface {
	whole
	Alloc(int) ([]byte, error)
	TryAlloc(int) ([]byte, bool)
	AllocAligned(n, align int) ([]byte, error)
}

type freer interface{ Free([]byte) error }

type resetter interface{ Reset() error }

// subject is a pool in a common form: its blocks are bytes. All blocks of a pool of items have the same length.
type subject struct {
	whole
	alloc   func(n int) ([]byte, error)
	try     func(n int) ([]byte, bool)
	aligned func(n, align int) ([]byte, error) // nil: the pool has no aligned allocations
	free    func([]byte) error                 // nil: blocks are freed all at once
	reset   func() error                       // nil: blocks are freed one by one only
}

func items(fresh func() itemPool) func() subject {
	return func() subject {
		p := fresh()
		return subject{whole: p,
			alloc: func(int) ([]byte, error) { b, err := p.Alloc(); return rig.BytesOf(b), err },
			try:   func(int) ([]byte, bool) { b, ok := p.TryAlloc(); return rig.BytesOf(b), ok },
			free:  func(b []byte) error { return p.Free(rig.ItemOf[[96]byte](b)) },
		}
	}
}

func spans(fresh func() spanPool) func() subject {
	return func() subject {
		p := fresh()
		s := subject{whole: p, alloc: p.Alloc, try: p.TryAlloc, aligned: p.AllocAligned}
		if f, ok := p.(freer); ok {
			s.free = f.Free
		}
		if r, ok := p.(resetter); ok {
			s.reset = r.Reset
		}
		return s
	}
}

// subjects returns new pools of every form.
var subjects = map[string]func() subject{
	"FixedAlone":     items(func() itemPool { return new(FixedAlonePool) }),
	"Fixed":          items(func() itemPool { return new(FixedPool) }),
	"FixedSharded":   items(func() itemPool { return new(FixedShardedPool) }),
	"HeapAlone":      spans(func() spanPool { return new(HeapAlonePool) }),
	"Heap":           spans(func() spanPool { return new(HeapPool) }),
	"HeapSharded":    spans(func() spanPool { return new(HeapShardedPool) }),
	"BestAlone":      spans(func() spanPool { return new(BestAlonePool) }),
	"Best":           spans(func() spanPool { return new(BestPool) }),
	"BestSharded":    spans(func() spanPool { return new(BestShardedPool) }),
	"BinnedAlone":    spans(func() spanPool { return new(BinnedAlonePool) }),
	"Binned":         spans(func() spanPool { return new(BinnedPool) }),
	"BinnedSharded":  spans(func() spanPool { return new(BinnedShardedPool) }),
	"ClassesAlone":   spans(func() spanPool { return new(ClassesAlonePool) }),
	"Classes":        spans(func() spanPool { return new(ClassesPool) }),
	"ClassesSharded": spans(func() spanPool { return new(ClassesShardedPool) }),
	"RingAlone":      spans(func() spanPool { return new(RingAlonePool) }),
	"Ring":           spans(func() spanPool { return new(RingPool) }),
	"RingSharded":    spans(func() spanPool { return new(RingShardedPool) }),
	"BumpAlone":      spans(func() spanPool { return new(BumpAlonePool) }),
	"Bump":           spans(func() spanPool { return new(BumpPool) }),
	"BumpSharded":    spans(func() spanPool { return new(BumpShardedPool) }),
	"DirectAlone":    spans(func() spanPool { return new(DirectAlonePool) }),
	"Direct":         spans(func() spanPool { return new(DirectPool) }),
	"DirectSharded":  spans(func() spanPool { return new(DirectShardedPool) }),
}

// play is a sequence of operations on a pool, with the expected state.
type play struct {
	*testing.T
	subject
	live  []held
	old   [][]byte // freed
	mark  byte
	dry   int  // calls of the source that have failed, when last checked
	zeroy bool // blocks are zero when allocated
}

// held is a live block and its contents.
type held struct {
	b    []byte
	mark byte
}

func at(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// failedSince reports whether the source has failed since the last call of failedSince.
func (p *play) failedSince() bool {
	_, failed, _ := memory.state()
	defer func() { p.dry = failed }()
	return failed > p.dry
}

// take records a block, or checks the error.
func (p *play) take(b []byte, err error) {
	p.Helper()
	if dry := p.failedSince(); err != nil {
		switch {
		case errors.Is(err, poolrt.ErrOutOfMemory):
			if !dry || !errors.Is(err, errDry) {
				p.Fatalf("the source has not failed: %v", err)
			}
		case !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrTooLarge) && !errors.Is(err, errHook):
			p.Fatalf("alloc: %v", err)
		}
		return
	}
	for _, h := range p.live {
		if at(b) < at(h.b)+uintptr(len(h.b)) && at(h.b) < at(b)+uintptr(len(b)) {
			p.Fatalf("%d bytes at %#x overlap %d at %#x", len(b), at(b), len(h.b), at(h.b))
		}
	}
	if p.zeroy && slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) {
		p.Fatalf("a block of %d bytes is not zero", len(b))
	}
	p.mark++
	for i := range b {
		b[i] = p.mark
	}
	p.live = append(p.live, held{b, p.mark})
	p.old = slices.DeleteFunc(p.old, func(o []byte) bool { return at(o) == at(b) }) // which is a live block again
}

// give frees a block.
func (p *play) give(i int) {
	p.Helper()
	h := p.live[i]
	p.live = slices.Delete(p.live, i, i+1)
	for k, c := range h.b {
		if c != h.mark {
			p.Fatalf("byte %d of %d has changed", k, len(h.b))
		}
	}
	if err := p.free(h.b); err != nil {
		p.Fatalf("free: %v", err)
	}
	p.old = append(p.old, h.b)
}

// refuse checks that freeing b, which is not a live block, is refused.
func (p *play) refuse(b []byte) {
	p.Helper()
	if err := p.free(b); !errors.Is(err, poolrt.ErrInvalidFree) {
		p.Fatalf("free of a block that is not live: %v", err)
	}
}

// check compares the figures of the pool with those of the source and of the play.
func (p *play) check() {
	p.Helper()
	s := p.Stats()
	given, _, bad := memory.state()
	bytes := int64(0)
	for _, h := range p.live {
		bytes += int64(len(h.b))
	}
	if s.Live != int64(len(p.live)) || s.LiveBytes != bytes || s.Reserved != given || s.Reserved > s.Limit || bad != 0 {
		p.Fatalf("%d blocks of %d bytes live, %d bytes of the source, %d bad frees: %+v", len(p.live), bytes, given, bad, s)
	}
}

// back checks an error of a call that returns memory: the source may have failed.
func (p *play) back(what string, err error) {
	p.Helper()
	if dry := p.failedSince(); err != nil && (!dry || !errors.Is(err, poolrt.ErrNotReturned)) {
		p.Fatalf("%s: %v", what, err)
	}
}

// drop frees all blocks.
func (p *play) drop() {
	p.Helper()
	if p.free == nil {
		p.back("reset", p.reset())
		p.live, p.old = nil, nil
	}
	for len(p.live) > 0 {
		p.give(len(p.live) - 1)
	}
}

// end closes the pool, on a source that works again.
func (p *play) end() {
	p.Helper()
	memory.fail(0, 0)
	p.drop()
	if _, err := p.Trim(0); err != nil {
		p.Fatalf("trim: %v", err)
	}
	p.check()
	if s := p.Stats(); s.Reserved != 0 {
		p.Errorf("trimmed: %+v", s)
	}
	if err := p.Close(); err != nil {
		p.Fatalf("close: %v", err)
	}
	if given, _, bad := memory.state(); given != 0 || bad != 0 {
		p.Fatalf("%d bytes are left, %d bad frees", given, bad)
	}
}
