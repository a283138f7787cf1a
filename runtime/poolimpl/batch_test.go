package poolimpl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// batch allocates n blocks of 10 bytes; take is the fast path of the pool for a batch.
func (p *rig) batch(n int, take func([]uint64) int) ([]uint64, error) {
	list := make([]uint64, n)
	same := func(addr uint64) uint64 { return addr }
	of := func(b Block) uint64 {
		if b.Items != 1 {
			p.t.Errorf("%+v: want one item", b)
		}
		return b.Addr
	}
	_, err := CompleteBatch(p.ready(), list, 0, 10, of, same, take)
	return list, err
}

// The engine allocates one block of each new chunk, and the fast path the others.
func TestBatchGoesOnWithTheChunk(t *testing.T) {
	p := newRig(t, nil)
	calls := 0
	list, err := p.batch(25, func(dst []uint64) (n int) {
		calls++
		for n < len(dst) {
			b, ok := p.try(10)
			if !ok {
				break
			}
			dst[n] = b.addr
			n++
		}
		return n
	})
	if err != nil || calls != 3 || p.source.held() != 300 {
		t.Errorf("%v; the pool was asked %d times, for %d bytes", err, calls, p.source.held())
	}
	slices.Sort(list)
	if len(slices.Compact(slices.Clone(list))) != 25 {
		t.Errorf("blocks are handed out twice: %v", list)
	}
	for _, addr := range list {
		p.mustFree(block{addr, 10})
	}
}

// FreeRest frees each block once, however many the batch function frees at a time, and joins the errors.
func TestFreeRest(t *testing.T) {
	odd := errors.New("odd")
	var freed, given []int
	err := FreeRest([]int{0, 1, 2, 4, 5, 7}, func(i int) error {
		freed = append(freed, i)
		if i%2 == 1 {
			return fmt.Errorf("%w: %d", odd, i)
		}
		return nil
	}, func(rest []int) (n int) { // frees even numbers
		for n < len(rest) && rest[n]%2 == 0 {
			given = append(given, rest[n])
			n++
		}
		return n
	})
	if want := "odd: 1\nodd: 5\nodd: 7"; err == nil || err.Error() != want || !errors.Is(err, odd) {
		t.Errorf("got %v, want %s", err, want)
	}
	if !slices.Equal(freed, []int{0, 1, 2, 5, 7}) || !slices.Equal(given, []int{4}) { // 2 comes while give pauses
		t.Errorf("freed one by one: %v; together: %v", freed, given)
	}
}

// Where give never frees a block, it is rarely tried. Once it does, it is tried after each block again.
func TestFreeRestPauses(t *testing.T) {
	gives := 0
	if err := FreeRest(make([]int, 1000), func(int) error { return nil }, func(rest []int) int { gives++; return 0 }); err != nil || gives > 5+1000/mostPause {
		t.Errorf("%v, %d gives of no block of 1,000", err, gives)
	}
	gives = 0
	ones := slices.Repeat([]int{1}, 101)
	if err := FreeRest(ones, func(int) error { return nil }, func(rest []int) int { gives++; return min(len(rest), 1) }); err != nil || gives != 51 {
		t.Errorf("%v, %d gives of a block each, of 101", err, gives)
	}
}

// The error of many blocks tells of the first ones, and matches the errors of all.
func TestFreeRestOfMany(t *testing.T) {
	last := errors.New("last")
	err := FreeRest(make([]int, 100), func() func(int) error {
		n := 0
		return func(int) error {
			if n++; n == 100 {
				return last
			}
			return fmt.Errorf("no block %d", n)
		}
	}(), func([]int) int { return 0 })
	text := err.Error()
	if want := "\nand the errors of 92 more blocks"; strings.Count(text, "no block") != mostShown || !strings.HasSuffix(text, want) {
		t.Errorf("got %s", text)
	}
	if !errors.Is(err, last) {
		t.Errorf("%v does not match the last error", err)
	}
}

// A batch that fails changes neither the pool nor the pool that it borrowed from.
func TestBatchFails(t *testing.T) {
	other := newRig(t, func(c *Config) { c.Limit = 100 })
	other.source.given, other.source.next = map[uint64]int64{}, 1<<30 // addresses of its own
	p := newRig(t, func(c *Config) { c.Limit, c.Ladder = 200, []Rung{PoolRung{Pool: lenderOf(other)}} })
	live := p.mustAlloc(10)
	list, err := p.batch(30, func([]uint64) int { return 0 })
	wantErr(t, "batch", err, poolrt.ErrLimit)
	if _, alone := err.(*poolrt.PoolError); !alone {
		t.Errorf("one error is a %T", err)
	}
	if s := p.ready().Stats(); s.Live != 1 || s.Reserved != 100 || other.core.live != 0 || slices.Max(list) != 0 {
		t.Errorf("%d live, %d reserved, %d borrowed; %v", s.Live, s.Reserved, other.core.live, list)
	}
	p.mustFree(live)
}

// A batch that fails leaves what another goroutine has primed meanwhile, until Trim.
func TestBatchFailsBesidePrime(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit = 500 })
	wantErr(t, "earlier", p.ready().Prime(400), nil)
	_, err := p.Trim(0)
	wantErr(t, "trim", err, nil)
	for _, most := range []int64{0, 300} {
		primed := false
		_, err := p.batch(60, func([]uint64) int {
			if !primed && most > 0 {
				primed = true
				wantErr(t, "prime", p.Prime(100), nil)
				wantErr(t, "prime", p.Prime(most), nil)
				wantErr(t, "prime", p.Prime(200), nil)
			}
			return 0
		})
		wantErr(t, "batch", err, poolrt.ErrLimit)
		if r := p.Stats().Reserved; r != most {
			t.Errorf("%d reserved, of which %d were primed", r, most)
		}
	}
	_, err = p.Trim(0)
	wantErr(t, "trim", err, nil)
	if r := p.Stats().Reserved; r != 0 {
		t.Errorf("%d reserved", r)
	}
}
