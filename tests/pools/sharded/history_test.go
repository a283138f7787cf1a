package sharded

import (
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/history"
)

// The results that goroutines get from a pool are possible for a pool of one goroutine, in some order of the calls.
func TestHistories(t *testing.T) {
	for name, fresh := range subjects {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(10) {
				p := fresh()
				logs := history.Logs(4)
				var all sync.WaitGroup
				for i, log := range logs {
					all.Go(func() { play(p, log, rand.New(rand.NewPCG(seed, uint64(i)))) })
				}
				all.Wait()
				fatal.If(t, history.Check(logs, 0))
				check(t, "close", p.Close())
			}
		})
	}
}

// play allocates and frees blocks of all sizes, and records each call.
func play(p pool, log *history.Log, r *rand.Rand) {
	var held [][]byte
	free := func(k int) {
		b := held[k]
		held[k] = held[len(held)-1]
		held = held[:len(held)-1]
		log.Free(address(b), uint64(len(b)), func() { _ = p.Free(b) })
	}
	for range 2000 {
		if len(held) > 0 && (len(held) > 30 || r.IntN(2) == 0) {
			free(r.IntN(len(held)))
			continue
		}
		n := 1 + r.IntN([]int{64, 2000, 50000}[r.IntN(3)])
		log.Alloc(func() (uint64, uint64, bool) {
			b, err := p.Alloc(n)
			if err != nil {
				return 0, 0, false
			}
			held = append(held, b)
			return address(b), uint64(n), true
		})
	}
	for len(held) > 0 {
		free(0)
	}
}

func address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// The same holds for pools of blocks of one size, which refuse an allocation only when all blocks may be live.
func TestFixedHistories(t *testing.T) {
	eachItem(t, fixedHistory, fixedHistory, fixedHistory, fixedHistory, fixedHistory, fixedHistory)
}

func fixedHistory[R comparable](t *testing.T, test itemTest[R]) {
	for seed := range uint64(4) {
		p := test.make(t)
		held := make([]R, test.blocks-100) // the goroutines then reach the limit
		_, err := p.AllocBatch(held)
		check(t, "alloc", err)
		check(t, "free", p.FreeBatch(held[:30]))
		logs := history.Logs(4)
		var all sync.WaitGroup
		for i, log := range logs {
			all.Go(func() { playFixed(p, test, log, rand.New(rand.NewPCG(seed, uint64(i)))) })
		}
		all.Wait()
		fatal.If(t, history.Check(logs, 130))
		check(t, "free", p.FreeBatch(held[30:]))
		check(t, "close", p.Close())
	}
}

// playFixed allocates and frees blocks, and records each call.
func playFixed[R comparable](p itemPool[R], test itemTest[R], log *history.Log, r *rand.Rand) {
	var held []R
	for i := range 3000 {
		if len(held) > 0 && (len(held) > 60 || r.IntN(100) < 40+i%40) {
			k := r.IntN(len(held))
			b := held[k]
			held[k] = held[len(held)-1]
			held = held[:len(held)-1]
			log.Free(test.place(b), 1, func() { _ = p.Free(b) })
			continue
		}
		log.Alloc(func() (uint64, uint64, bool) {
			b, err := p.Alloc()
			if err != nil {
				return 0, 0, false
			}
			held = append(held, b)
			return test.place(b), 1, true
		})
	}
	for _, b := range held {
		log.Free(test.place(b), 1, func() { _ = p.Free(b) })
	}
}
