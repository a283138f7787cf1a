package faults

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// names returns the names of the pools, in order.
var names = slices.Sorted(maps.Keys(subjects))

// begin resets the source and starts with a new pool.
func begin(t *testing.T, name string) *play {
	memory.reset()
	return &play{T: t, subject: subjects[name](), zeroy: strings.HasSuffix(name, "Sharded")}
}

// program fills a pool, empties it and trims it, twice.
func (p *play) program() {
	for range 2 {
		for _, n := range []int{100, 5000, 16 << 10, 60, 9000, 40 << 10, 300, 12000} {
			b, err := p.alloc(n)
			p.take(b, err)
			if errors.Is(err, poolrt.ErrOutOfMemory) { // the second attempt works, as the source does
				if b, err = p.alloc(n); errors.Is(err, poolrt.ErrOutOfMemory) {
					p.Fatalf("again: %v", err)
				}
				p.take(b, err)
			}
			p.check()
		}
		p.drop()
		p.check()
		_, err := p.Trim(0)
		p.back("trim", err)
		p.check()
	}
	b, err := p.alloc(100)
	p.take(b, err)
	p.drop()
}

// TestEachCallFails makes each call of the source fail in turn, in every pool.
func TestEachCallFails(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			struck := [2]int{}
			for which := range 2 {
				struck[which] = rig.EachCall(func(nth int) bool {
					p := begin(t, name)
					memory.fail(nth*(1-which), nth*which)
					p.program()
					_, failed, _ := memory.state()
					p.end()
					return failed > 0
				})
			}
			if t.Logf("%d allocations and %d frees failed", struck[0], struck[1]); struck[0] < 2 || struck[1] < 2 {
				t.Error("too few calls failed")
			}
		})
	}
}

// TestCloseFails closes pools whose source first fails to free memory, and then succeeds.
func TestCloseFails(t *testing.T) {
	for _, name := range names {
		p := begin(t, name)
		b, err := p.alloc(100)
		p.take(b, err)
		memory.fail(0, -1)
		p.drop()
		err = p.Close()
		if given, _, _ := memory.state(); (err == nil) != (given == 0) || err != nil && !errors.Is(err, poolrt.ErrNotReturned) {
			t.Errorf("%s: %d bytes are left, close: %v", name, given, err)
		}
		memory.fail(0, 0)
		if err := p.CloseForce(); err != nil {
			t.Errorf("%s: second close: %v", name, err)
		}
		if given, _, bad := memory.state(); given != 0 || bad != 0 {
			t.Errorf("%s: %d bytes are left, %d bad frees", name, given, bad)
		}
	}
}

// script runs operations that are encoded as bytes.
func (p *play) script(ops []byte) {
	next := func() int {
		if len(ops) == 0 {
			return 0
		}
		b := ops[0]
		ops = ops[1:]
		return int(b)
	}
	for steps := 0; len(ops) > 0 && steps < 400; steps++ {
		switch op := next() % 20; {
		case op < 4:
			p.take(p.alloc(1 + next()))
		case op < 6:
			p.take(p.alloc(1 + next()*next()))
		case op == 6 && p.aligned != nil:
			p.take(p.aligned(1+next(), 1<<(next()%13)))
		case op == 7:
			if b, ok := p.try(1 + next()); ok {
				p.take(b, nil)
			}
		case op < 13 && p.free != nil && len(p.live) > 0:
			p.give(next() % len(p.live))
		case op == 13 && p.free != nil && len(p.old) > 0:
			p.refuse(p.old[next()%len(p.old)])
		case op == 14 && p.free != nil && len(p.live) > 0:
			if h := p.live[next()%len(p.live)]; len(h.b) > 1 {
				p.refuse(h.b[1:]) // an address inside a block
			}
		case op == 15:
			_, err := p.Trim(int64(next()) << 10)
			p.back("trim", err)
		case op == 16:
			memory.fail(next()%4-1, 0)
		case op == 17:
			memory.fail(0, next()%4-1)
		case op == 18 && p.reset != nil && (p.free == nil || len(p.live) == 0):
			p.back("reset", p.reset())
			p.live, p.old = nil, nil
		case op == 19 && len(p.live) > 0 && p.free != nil:
			if err := p.Close(); !errors.Is(err, poolrt.ErrLive) {
				p.Fatalf("close with live blocks: %v", err)
			}
		default:
			p.Poll()
			p.failedSince()
		}
		p.check()
	}
	p.end()
}

// FuzzPools runs sequences of operations on a pool whose source sometimes fails.
func FuzzPools(f *testing.F) {
	for i := range names {
		r := rand.New(rand.NewPCG(uint64(i), 8))
		ops := make([]byte, 500)
		for k := range ops {
			ops[k] = byte(r.Uint32())
		}
		f.Add(byte(i), ops)
	}
	f.Fuzz(func(t *testing.T, which byte, ops []byte) { begin(t, names[int(which)%len(names)]).script(ops) })
}

// TestFaultsAmongMany has goroutines allocate and free while the source sometimes fails.
func TestFaultsAmongMany(t *testing.T) {
	for _, name := range names {
		if strings.HasSuffix(name, "Alone") || strings.HasPrefix(name, "Bump") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := begin(t, name)
			var all sync.WaitGroup
			for g := range uint64(4) {
				all.Go(func() { p.worker(rand.New(rand.NewPCG(g, 2))) })
			}
			all.Wait()
			p.failedSince()
			p.end()
		})
	}
}

// worker allocates and frees, and makes the source fail.
func (p *play) worker(r *rand.Rand) {
	var mine [][]byte
	for range 600 {
		switch k := r.IntN(20); {
		case k < 10:
			b, err := p.alloc(1 + r.IntN(3000))
			if err == nil {
				mine = append(mine, b)
			} else if !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, errDry) {
				p.Errorf("alloc: %v", err)
			}
		case k < 17 && len(mine) > 0:
			if err := p.free(mine[0]); err != nil {
				p.Errorf("free: %v", err)
			}
			mine = mine[1:]
		case k == 17:
			memory.fail(r.IntN(3), r.IntN(3))
		case k == 18:
			if _, err := p.Trim(0); err != nil && !errors.Is(err, poolrt.ErrNotReturned) {
				p.Errorf("trim: %v", err)
			}
		default:
			p.Poll()
		}
	}
	for _, b := range mine {
		if err := p.free(b); err != nil {
			p.Errorf("free: %v", err)
		}
	}
}
