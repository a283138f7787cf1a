//go:build cudasim

package sleep

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

const page = 2 << 20

var ctx = context.Background()

// machine is one of two devices.
func machine(t *testing.T) {
	t.Helper()
	rig.Machine(t, config)
}

var config = sim.Config{Devices: 2, Capacity: 64 << 20, Schedule: 1}

// span has the methods that all spans of these pools have.
type span interface {
	Addr() cuda.DevicePtr
	Bytes() int64
}

// pool has the methods that the tests need.
type pool[S span] interface {
	Alloc(n int) (S, error)
	AllocContext(ctx context.Context, n int) (S, error)
	TryAlloc(n int) (S, bool)
	Free(S) error
	Sleep(context.Context, ...poolrt.SleepOption) error
	Wake(context.Context) error
	Trim(keep int64) (int64, error)
	Prime(int64) error
	SetLimit(int64) error
	Stats() poolrt.Stats
	Snapshot() *poolrt.Snapshot
	Close() error
}

// written fills a block with numbers that depend on a seed.
func written[S span](t *testing.T, b S, seed uint64) S {
	t.Helper()
	rig.Check(t, "write", cuda.CopyToDevice(b.Addr(), pattern(b.Bytes(), seed)))
	return b
}

func pattern(n int64, seed uint64) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 1))
	for at := 0; at+8 <= len(b); at += 1024 {
		binary.LittleEndian.PutUint64(b[at:], r.Uint64())
	}
	return b
}

// holds checks the bytes of a block.
func holds(t *testing.T, b span, seed uint64) {
	t.Helper()
	back := make([]byte, b.Bytes())
	if err := cuda.CopyToHost(back, b.Addr()); err != nil || string(back) != string(pattern(b.Bytes(), seed)) {
		t.Errorf("block at %v has not the bytes of %d: %v", b.Addr(), seed, err)
	}
}

// is checks whether a pool is asleep, and what it has reserved and as backing.
func is[S span](t *testing.T, p pool[S], asleep, pages, backing int64) {
	t.Helper()
	if s := p.Stats(); s.Asleep != asleep || s.Reserved != pages*page || s.Backing != backing*page {
		t.Errorf("Asleep %d, want %d; %d bytes reserved, want %d pages; %d of backing, want %d pages", s.Asleep, asleep, s.Reserved, pages, s.Backing, backing)
	}
}

// kinds runs a test with each kind of pool that keeps the contents.
func kinds(t *testing.T, run func(t *testing.T, s rig.Subject)) {
	for name, p := range map[string]func() any{
		"Flow": func() any { return new(FlowPool) }, "Plain": func() any { return new(PlainPool) }, "Later": func() any { return new(LaterPool) },
		"Alone": func() any { return new(AlonePool) }, "Best": func() any { return new(BestPool) }, "Binned": func() any { return new(BinnedPool) },
		"Classed": func() any { return new(ClassedPool) }, "Coarse": func() any { return new(CoarsePool) }, "Loose": func() any { return new(LoosePool) },
		"Left": func() any { return new(LeftPool) }, "Peered": func() any { return new(PeeredPool) }, "Each": func() any { return new(EachPool) },
		"Choice": func() any { return new(ChoicePool) }, "Staged": func() any { return new(StagedPool) }, "Primed": func() any { return new(PrimedPool) },
		"Ready": func() any { return new(ReadyPool) }, "Counted": func() any { return new(CountedPool) },
	} {
		t.Run(name, func(t *testing.T) { run(t, rig.SubjectOf(p())) })
	}
}
