package poolimpl_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/fatal"
)

// A request for which no row of addresses is left gets another range. Trim returns ranges without pages, except the first; so does Close.
func TestMoreAddresses(t *testing.T) {
	p := newPaged(t, 8, nil)
	p.first = 8
	var held []piece
	for range 8 {
		held = append(held, p.must(pageSize))
	}
	for _, i := range []int{0, 2, 4, 6} {
		p.free(held[i])
	}
	large := p.must(4 * pageSize)
	p.lies(large)
	if len(p.ranges) != 2 || large.addr < p.ranges[1].Addr {
		t.Errorf("block %+v; ranges %v", large, p.ranges)
	}
	p.holds(8)
	trim := func(ranges int) {
		t.Helper()
		if _, err := p.Trim(0); err != nil || len(p.ranges) != ranges {
			t.Errorf("%v; %d ranges, want %d", err, len(p.ranges), ranges)
		}
	}
	trim(2)
	p.free(large)
	if len(p.ranges) != 2 {
		t.Error("a range went on a free")
	}
	trim(1)
	for _, i := range []int{1, 3, 5, 7} {
		p.free(held[i])
	}
	p.end()
}

// The first range may be too small for all that the pool may have: what is reserved in advance, and what grows, comes in others.
func TestPrimeBeyondTheFirstRange(t *testing.T) {
	for name, before := range map[string]int{"nothing live": 0, "first pages live": 2, "all pages live": 4} {
		t.Run(name, func(t *testing.T) {
			p := newPaged(t, 12, nil)
			p.first = 4
			var held []piece
			for range before {
				held = append(held, p.must(pageSize))
			}
			fatal.If(t, p.ready().Prime(12*pageSize))
			p.holds(12)
			for range 12 - before {
				held = append(held, p.must(pageSize))
			}
			p.holds(12)
			for _, b := range held {
				p.free(b)
			}
			p.end()
		})
	}
}

// If there are no more addresses, ranges without pages go first. Then the error says that it is addresses that lack.
func TestNoMoreAddresses(t *testing.T) {
	p := newPaged(t, 8, nil)
	p.first, p.most = 8, 16
	var held []piece
	for range 8 {
		held = append(held, p.must(pageSize))
	}
	for _, i := range []int{0, 2, 4, 6} {
		p.free(held[i])
	}
	p.free(p.must(4 * pageSize)) // from a second range
	p.free(held[1])
	p.free(held[5])
	large := p.must(6 * pageSize) // the first has three pages in a row, the second four
	p.lies(large)
	if len(p.ranges) != 2 || p.ranges[1].Size != 6*pageSize {
		t.Errorf("ranges %v", p.ranges)
	}
	for _, b := range []piece{large, held[3], held[7]} {
		p.free(b)
	}
	p.end()

	q := newPaged(t, 8, nil)
	q.first, q.most = 8, 8
	held = nil
	for range 8 {
		held = append(held, q.must(pageSize))
	}
	for _, i := range []int{0, 2, 4, 6} {
		q.free(held[i])
	}
	_, err := q.alloc(2 * pageSize)
	if !errors.Is(err, poolrt.ErrOutOfMemory) || !errors.Is(err, errNoMore) || !strings.Contains(err.Error(), "addresses, not memory") {
		t.Error(err)
	}
	for _, i := range []int{1, 3, 5, 7} {
		q.free(held[i])
	}
	q.end()
}

// At the limit, free pages move to where they are needed: as many as are missing, by at most two calls of the source for each of them and a few more.
func TestPagesMove(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		const limit = 24
		p := newPaged(t, limit, func(c *poolimpl.Config) {
			if seed%2 == 1 {
				c.Trim = &poolimpl.TrimPolicy{Growth: true}
			}
		})
		var held []piece
		for range 400 {
			if len(held) > 0 && r.IntN(2) == 0 {
				k := r.IntN(len(held))
				p.free(held[k])
				held[k] = held[len(held)-1]
				held = held[:len(held)-1]
				continue
			}
			n := 1 + r.Uint64N(6*pageSize)
			pages := int64(n+pageSize-1) / pageSize
			fits := p.pinned(held)+pages <= limit
			p.calls = 0
			b, err := p.alloc(n)
			switch {
			case err == nil:
				held = append(held, b)
				p.lies(b)
				if int64(p.calls) > 2*pages+8 {
					t.Errorf("seed %d: %d calls for %d pages", seed, p.calls, pages)
				}
			case fits:
				t.Fatalf("seed %d: %v, with %d pages in use", seed, err, p.pinned(held))
			case !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrTooLarge):
				t.Fatal(err)
			}
			if s := p.Stats(); s.Reserved > limit*pageSize {
				t.Fatalf("%d bytes reserved", s.Reserved)
			}
		}
		for _, b := range held {
			p.free(b)
		}
		p.end()
	}
}

// pinned counts the pages on which a live block lies.
func (p *paged) pinned(held []piece) int64 {
	in := map[uint64]bool{}
	for _, b := range held {
		for at := b.addr &^ (pageSize - 1); at < b.addr+b.bytes; at += pageSize {
			in[at] = true
		}
	}
	return int64(len(in))
}

// If the source has no memory, all free pages go back; if that is not enough, the pool asks for what the request needs alone.
func TestPagesGoWhenTheSourceIsFull(t *testing.T) {
	p := newPaged(t, 100, func(c *poolimpl.Config) { c.ChunkSize = 4 * pageSize })
	has := 10 // pages, of which the pool gets as many as it has unmapped
	p.onMap = func() error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.asked > has-len(p.mapped) {
			return poolrt.ErrOutOfMemory
		}
		return nil
	}
	var held []piece
	for range 8 {
		held = append(held, p.must(pageSize))
	}
	p.holds(8)
	for _, i := range []int{0, 2, 4} {
		p.free(held[i])
	}
	large := p.must(5 * pageSize) // in use: 5
	p.lies(large)
	p.holds(10)
	if _, err := p.alloc(pageSize); !errors.Is(err, poolrt.ErrOutOfMemory) {
		t.Error(err)
	}
	p.free(large)
	for _, i := range []int{1, 3, 5, 6, 7} {
		p.free(held[i])
	}
	p.onMap = nil
	p.end()
}
