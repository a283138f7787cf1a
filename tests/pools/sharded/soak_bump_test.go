package sharded

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// era is shared by goroutines that use a pool without single frees: they hold the read lock between two resets.
type era struct {
	sync.RWMutex
	blocks atomic.Int64 // since the last reset
}

// bumper allocates blocks in batches, verifies them, and drops them; sometimes it resets the pool.
type bumper struct {
	tally
	pool resetting
	era  *era
	r    *rand.Rand
	mark uint64
	held []stamped
}

func bumpers(p soakPool, s seating) []player {
	e := new(era)
	var list []player
	for i := range s.goroutines {
		list = append(list, &bumper{pool: p.(resetting), era: e, r: rand.New(s.random(i)), mark: s.firstMark(i)})
	}
	return list
}

func (b *bumper) count() tally { return b.tally }

func (b *bumper) play(ops int64) error {
	full, err := b.batch(ops)
	if err == nil && (full || b.r.IntN(16) == 0) {
		err = b.reset()
	}
	return err
}

// batch allocates n blocks, and then verifies all of them.
func (b *bumper) batch(ops int64) (full bool, err error) {
	b.era.RLock()
	defer b.era.RUnlock()
	b.held = b.held[:0]
	for range ops {
		b.ops++
		block, err := b.pool.Alloc(word * (1 + b.r.IntN(2048/word)))
		if errors.Is(err, poolrt.ErrLimit) {
			b.refused++
			full = true
			break
		}
		if err != nil {
			return false, err
		}
		b.mark++
		b.held = append(b.held, stamp(block, b.mark))
	}
	b.era.blocks.Add(int64(len(b.held)))
	for _, s := range b.held {
		if err := s.verify(); err != nil {
			return false, err
		}
	}
	return full, apart(b.held)
}

// reset frees the blocks of all.
func (b *bumper) reset() error {
	b.era.Lock()
	defer b.era.Unlock()
	if s, want := b.pool.Stats(), b.era.blocks.Swap(0); s.Live != want {
		return fmt.Errorf("%d blocks are live, the figures are %+v", want, s)
	}
	return b.pool.Reset()
}

func judgeBumpers(p soakPool, players []player) error {
	if err := players[0].(*bumper).reset(); err != nil {
		return err
	}
	if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 {
		return fmt.Errorf("all blocks are free, the figures are %+v", s)
	}
	return nil
}
