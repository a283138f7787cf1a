package sharded

import (
	"cmp"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

var soakOps = flag.Int("soak", 3_000_000, "operations of TestSoak, all pools together")

// Sharded pools of every kind run under load: as many goroutines as there are processors allocate, fill, pass on, verify and free blocks while the number of
// processors changes and another goroutine trims, counts and lowers the limit. From time to time all stop: live blocks must not overlap, and must match the
// counters of the pool.
func TestSoak(t *testing.T) {
	ops := *soakOps
	if testing.Short() {
		ops /= 10
	}
	subjects, weights := soaked(), 0
	for _, s := range subjects {
		weights += s.weight
	}
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			start := time.Now()
			total, err := soak(s, ops/weights*s.weight, runtime.GOMAXPROCS(0))
			fatal.If(t, err)
			took := time.Since(start)
			t.Logf("%d operations in %v: %.0f a second, %.1f ns each", total.ops, took.Round(time.Millisecond), float64(total.ops)/took.Seconds(),
				float64(took.Nanoseconds())/float64(total.ops))
			t.Logf("%d blocks handed on, %d times at the limit, %d trims released memory, %d limits lowered", total.passed, total.refused, total.trimmed, total.lowered)
		})
	}
}

// soakRounds is the number of times that the goroutines stop and the pool is checked; each round has a new pool.
const soakRounds = 20

// tally counts what happened.
type tally struct{ ops, passed, refused, trimmed, lowered int64 }

func (t *tally) add(u tally) {
	t.ops += u.ops
	t.passed += u.passed
	t.refused += u.refused
	t.trimmed += u.trimmed
	t.lowered += u.lowered
}

// soak runs about n operations, and returns the tally and the first error.
func soak(s subject, ops, goroutines int) (total tally, err error) {
	for round := range soakRounds {
		one, err := soakRound(s, round, max(ops/(soakRounds*goroutines), 1), goroutines)
		total.add(one)
		if err != nil {
			return total, fmt.Errorf("round %d: %w", round, err)
		}
	}
	return total, nil
}

// pressures are the bytes that all goroutines together may hold, as multiples of a part of the limit, by round: usually there is room, sometimes
// there is none.
var pressures = []int64{1, 2, 3, 6}

func soakRound(s subject, round, each, goroutines int) (tally, error) {
	p := s.make()
	limit := p.Stats().Limit
	share := limit * pressures[round%len(pressures)] / s.parts / int64(goroutines)
	var lull atomic.Bool
	players := s.players(p, seating{goroutines, uint64(round), share, s, &lull})
	var all sync.WaitGroup
	var broken, over atomic.Bool
	errs := make([]error, goroutines)
	for i, one := range players {
		all.Go(func() {
			for done := 0; done < each && !broken.Load() && errs[i] == nil; done += stint {
				errs[i] = one.play(int64(min(stint, each-done)))
			}
			if errs[i] != nil {
				broken.Store(true)
			}
		})
	}
	stirring := stirrer{pool: p, limit: limit, procs: goroutines, r: rand.New(rand.NewPCG(uint64(round), 3)), lull: &lull}
	stirred := make(chan error)
	go func() { stirred <- stirring.stir(&over) }()
	all.Wait()
	over.Store(true)
	errs = append(errs, <-stirred)
	total := stirring.tally
	for _, one := range players {
		total.add(one.count())
	}
	if err := errors.Join(errs...); err != nil {
		return total, err
	}
	if err := s.judge(p, players); err != nil {
		return total, err
	}
	return total, p.Close()
}

// stint is the number of operations of a goroutine between two checks whether another has failed.
const stint = 256

// stirrer disturbs a pool while others use it.
type stirrer struct {
	tally
	pool  soakPool
	limit int64
	procs int
	r     *rand.Rand
	lull  *atomic.Bool // blocks are freed only
}

// stir changes the number of processors, trims, counts, and lowers the limit step by step to three quarters, until the round ends.
func (s *stirrer) stir(over *atomic.Bool) (err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	least, most := s.limit*3/4, s.limit
	for n := 0; !over.Load() && err == nil; n++ {
		time.Sleep(time.Duration(s.r.IntN(1500)) * time.Microsecond)
		switch n % 8 {
		case 0, 4:
			runtime.GOMAXPROCS(1 + s.r.IntN(2*s.procs))
		case 1, 5:
			err = s.trim(s.r.Int64N(s.limit))
		case 2, 6:
			err = s.lower(s.limit - s.r.Int64N(max((s.limit-least)/4, 1)))
		case 7:
			err = s.quiet(over)
		}
		if u := s.pool.Stats(); err == nil && (u.Live < 0 || u.LiveBytes < 0 || u.Reserved < 0 || u.PeakReserved > most || u.Reserved > s.limit) {
			err = fmt.Errorf("with a limit of %d, %+v", s.limit, u)
		}
	}
	return err
}

func (s *stirrer) trim(keep int64) error {
	released, err := s.pool.Trim(keep)
	if released > 0 {
		s.trimmed++
	}
	return err
}

func (s *stirrer) lower(limit int64) error {
	err := s.pool.SetLimit(limit)
	if errors.Is(err, poolrt.ErrLive) {
		return nil
	}
	if err == nil {
		s.limit = limit
		s.lowered++
	}
	return err
}

// quiet lets the hands free most of the blocks, and trims the empty chunks while they allocate again.
func (s *stirrer) quiet(over *atomic.Bool) error {
	s.lull.Store(true)
	for n := 0; n < 50 && !over.Load() && s.pool.Stats().Live > 0; n++ {
		time.Sleep(100 * time.Microsecond)
	}
	s.lull.Store(false)
	return s.trim(0)
}

// stamped is a block with the mark of its owner.
type stamped struct {
	block []byte
	mark  uint64 // unique in a round
}

// word is the size of a mark, and of the smallest block.
const word = 8

// stamp writes the mark into the first and the last word of a block, and into one between.
func stamp(block []byte, mark uint64) stamped {
	s := stamped{block, mark}
	for _, at := range s.places() {
		binary.NativeEndian.PutUint64(block[at:], mark)
	}
	return s
}

func (s stamped) places() [3]int {
	words := len(s.block) / word
	middle := int(s.mark * 0x9e3779b97f4a7c15 >> 32 * uint64(words) >> 32)
	return [3]int{0, middle * word, (words - 1) * word}
}

// verify checks that the mark is where it was written.
func (s stamped) verify() error {
	for _, at := range s.places() {
		if got := binary.NativeEndian.Uint64(s.block[at:]); got != s.mark {
			return fmt.Errorf("block %p of %d bytes has %#x at %d, and its owner wrote %#x", s.block, len(s.block), got, at, s.mark)
		}
	}
	return nil
}

// apart checks that blocks do not overlap.
func apart(blocks []stamped) error {
	all := make([]extent, len(blocks))
	for i, s := range blocks {
		all[i] = place(s.block)
	}
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.at, b.at) })
	for i := range all[:max(len(all), 1)-1] {
		if all[i].at+all[i].bytes > all[i+1].at {
			return fmt.Errorf("%x overlaps %x, and both are live", all[i], all[i+1])
		}
	}
	return nil
}
