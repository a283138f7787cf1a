package sharded

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// player is a goroutine's part in a soak.
type player interface {
	play(ops int64) error
	count() tally
}

// seating is what the players of a round share.
type seating struct {
	goroutines int
	round      uint64
	share      int64 // most live bytes of each player
	subject    subject
	lull       *atomic.Bool
}

func (s seating) random(i int) *rand.PCG { return rand.NewPCG(uint64(i), s.round) }
func (s seating) firstMark(i int) uint64 { return uint64(i+1)<<48 | s.round<<40 }

// hand is a goroutine with blocks. It passes some blocks to other hands, which verify and free them.
type hand struct {
	tally
	pool    soakPool
	aligner aligner // nil if the pool has no aligned allocations
	seating
	r     *rand.PCG
	held  []stamped
	bytes int64
	mark  uint64 // of the last block
	mine  chan stamped
	all   []chan stamped
}

// hands makes the players of a pool whose blocks are freed one by one.
func hands(p soakPool, s seating) []player {
	boxes := make([]chan stamped, s.goroutines)
	for i := range boxes {
		boxes[i] = make(chan stamped, 8)
	}
	var list []player
	for i, box := range boxes {
		h := &hand{pool: p, seating: s, r: s.random(i), mark: s.firstMark(i), mine: box, all: boxes}
		h.aligner, _ = p.(aligner)
		list = append(list, h)
	}
	return list
}

func (h *hand) count() tally { return h.tally }

func (h *hand) play(ops int64) error {
	for end := h.ops + ops; h.ops < end; {
		x := h.r.Uint64()
		if err := h.step(x%16, x>>8); err != nil {
			return err
		}
	}
	return nil
}

// step does one of sixteen operations: nine of them allocate, if the hand may have more.
func (h *hand) step(what, x uint64) error {
	switch {
	case what < 9 && h.bytes < h.share && !h.lull.Load():
		return h.take(x)
	case what < 14:
		if len(h.held) > 0 {
			return h.free(h.pick(x))
		}
		runtime.Gosched()
	case what == 14:
		if len(h.held) > 0 {
			h.pass(h.pick(x), x)
		}
	default:
		select {
		case s := <-h.mine:
			return h.free(s)
		default:
		}
	}
	return nil
}

// sizes are upper bounds of block sizes; the sizes below a bound are equally likely.
var sizes = [16]uint64{64, 64, 64, 64, 256, 256, 256, 2048, 2048, 2048, 2048, 16 << 10, 16 << 10, 16 << 10, 60_000, 300_000}

// take allocates; at the limit it frees all blocks of the hand.
func (h *hand) take(x uint64) error {
	b, err := h.alloc(min(word+int(x>>8%sizes[x%16]), h.subject.most), x>>4%16 == 0)
	h.ops++
	if errors.Is(err, poolrt.ErrLimit) {
		h.refused++
		defer runtime.Gosched() // other hands can free blocks meanwhile
		return h.drop(0)
	}
	if err != nil {
		return fmt.Errorf("alloc: %w", err)
	}
	h.mark++
	h.held = append(h.held, stamp(b, h.mark))
	h.bytes += int64(len(b))
	return nil
}

func (h *hand) alloc(n int, aligned bool) ([]byte, error) {
	if !aligned || h.aligner == nil {
		return h.pool.Alloc(n)
	}
	b, err := h.aligner.AllocAligned(n, 64)
	if err == nil && place(b).at%64 != 0 {
		err = fmt.Errorf("%x is not aligned", place(b))
	}
	return b, err
}

// pick removes one of the first blocks from the hand.
func (h *hand) pick(x uint64) stamped {
	i := x % uint64(min(len(h.held), h.subject.window))
	s := h.held[i]
	h.held[i] = h.held[0]
	h.held = h.held[1:]
	h.bytes -= int64(len(s.block))
	return s
}

// pass passes a block to a hand that has room for it, or keeps it.
func (h *hand) pass(s stamped, x uint64) {
	select {
	case h.all[x>>32%uint64(len(h.all))] <- s:
		h.passed++
	default:
		h.held = append(h.held, s)
		h.bytes += int64(len(s.block))
	}
}

func (h *hand) free(s stamped) error {
	h.ops++
	if err := s.verify(); err != nil {
		return err
	}
	if err := h.pool.Free(s.block); err != nil {
		return fmt.Errorf("free of a block of %d bytes: %w", len(s.block), err)
	}
	return nil
}

// drop frees all blocks except for keep of them.
func (h *hand) drop(keep int) error {
	for len(h.held) > keep {
		if err := h.free(h.pick(0)); err != nil {
			return err
		}
	}
	return nil
}

// judgeHands checks that the blocks of all hands do not overlap and match the pool's figures, and frees them.
func judgeHands(p soakPool, players []player) error {
	var live []stamped
	var bytes int64
	for _, one := range players {
		h := one.(*hand)
		for len(h.mine) > 0 {
			h.held = append(h.held, <-h.mine)
		}
		live = append(live, h.held...)
	}
	for _, s := range live {
		bytes += int64(len(s.block))
	}
	if err := apart(live); err != nil {
		return err
	}
	if s := p.Stats(); s.Live != int64(len(live)) || s.LiveBytes != bytes {
		return fmt.Errorf("%d blocks of %d bytes are live, the figures are %+v", len(live), bytes, s)
	}
	for _, one := range players {
		if err := one.(*hand).drop(0); err != nil {
			return err
		}
	}
	if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.Allocs != s.Frees {
		return fmt.Errorf("all blocks are free, the figures are %+v", s)
	}
	return nil
}
