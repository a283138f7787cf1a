package budget

import (
	"errors"
	"slices"
	"sync"
	"testing"
)

// pool is a pool of a test: chunks with live blocks, empty ones, and such as are asleep.
type pool struct {
	t     testing.TB
	m     *Member
	limit int64

	mu     sync.Mutex
	live   []int64
	empty  []int64
	asleep []int64
	uses   uint64
	hook   func(bytes int64)
	gaveTo []string
}

func newPool(t testing.TB, b *Budget, terms Terms, limit int64) *pool {
	p := &pool{t: t, limit: limit}
	p.m = NewMember(b, p, terms)
	return p
}

func (p *pool) Uses() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.uses
}

func (p *pool) GiveEmpty(bytes int64, to string) int64 {
	return p.giveEmpty(bytes, p.m.Guarantee, to)
}

// giveEmpty returns empty chunks until so many bytes have gone back, and holds at least keep.
func (p *pool) giveEmpty(bytes, keep int64, to string) (given int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.empty = slices.DeleteFunc(p.empty, func(n int64) bool {
		if given >= bytes || p.m.Held()-n < keep {
			return false
		}
		p.m.Release(n)
		given += n
		return true
	})
	if given > 0 {
		p.gaveTo = append(p.gaveTo, to)
	}
	return given
}

func (p *pool) CallHooks(bytes int64, _ string) int64 {
	p.mu.Lock()
	hook := p.hook
	p.mu.Unlock()
	before := p.m.Held()
	if hook != nil {
		hook(bytes)
	}
	return max(before-p.m.Held(), 0)
}

func (p *pool) GiveAsleep(string) (given int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := append(p.live, p.empty...)
	for _, n := range all {
		p.m.Release(n)
		given += n
	}
	p.asleep = append(p.asleep, p.live...)
	p.live, p.empty = nil, nil
	return given
}

// free empties the chunk that was allocated first.
func (p *pool) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.live) > 0 {
		p.empty = append(p.empty, p.live[0])
		p.live = p.live[1:]
	}
}

// trim returns an empty chunk.
func (p *pool) trim() { p.giveEmpty(1, 0, "") }

var (
	errFull   = errors.New("the limit has no room")
	errSource = errors.New("the source has no memory")
)

// grow obtains a chunk as an engine does: others give until there is room.
func (p *pool) grow(n int64, supplied bool) error {
	if n > p.limit-p.m.Held() {
		return errFull
	}
	for !p.m.Reserve(n) {
		need := Need{For: "p", Priority: p.m.Priority, Ways: Trim | Hook | Sleep, Lacking: func() int64 { return p.m.Lacking(n) }}
		if !p.m.Budget().Reclaim(p.m, need) {
			return errFull
		}
	}
	if !supplied {
		p.m.Release(n)
		return errSource
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live = append(p.live, n)
	p.uses++
	return nil
}

// wake brings the chunks back that are asleep.
func (p *pool) wake() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := sum(p.asleep)
	if n == 0 || n > p.limit-p.m.Held() || !p.m.Reserve(n) {
		return false
	}
	p.live, p.asleep = append(p.live, p.asleep...), nil
	return true
}

// close returns everything, and leaves.
func (p *pool) close() {
	p.mu.Lock()
	p.m.Release(sum(p.live) + sum(p.empty))
	p.live, p.empty, p.asleep = nil, nil, nil
	p.mu.Unlock()
	p.m.Leave()
}

// spareEmpty reports whether the pool has an empty chunk beyond its guarantee that it may be asked for.
func (p *pool) spareEmpty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	spare := p.m.Held() - p.m.Guarantee
	return p.m.Reclaim&Trim != 0 && slices.ContainsFunc(p.empty, func(n int64) bool { return n <= spare })
}

func sum(list []int64) (n int64) {
	for _, x := range list {
		n += x
	}
	return n
}
