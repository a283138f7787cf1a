// Package cache is the load of a program that uses a pool at its limit: a cache that drops values when there is no room.
package cache

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/bench/trace"
)

// Pool is a pool of bytes.
type Pool interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
	Stats() poolrt.Stats
	SetLimit(bytes int64) error
	CloseForce() error
}

// Cache is the values of one goroutine. Several goroutines may have caches in one pool.
type Cache struct {
	pool   Pool
	random trace.Random
	values [][]byte
	_      [128]byte
}

// New returns the cache of goroutine i, without values.
func New(p Pool, i int) *Cache { return &Cache{pool: p, random: trace.Seeded(i)} }

// size returns the size of a value: 64 B to 2 KiB, each doubling as often as the others.
func (c *Cache) size() int {
	r := c.random.Next() >> 16
	least := 64 << (r % 5)
	return least + int(r>>8)%least
}

// Fill sets values until the pool has no room.
func (c *Cache) Fill() {
	for c.set(c.size()) {
	}
}

// Renew sets twice as many values as the cache has, as a pool that has just been filled still makes larger pieces of memory from smaller ones.
func (c *Cache) Renew() { c.Sets(2 * len(c.values)) }

// Sets sets n values. As long as the pool has no room for one, Sets drops another, any. It returns how many it has set: fewer than n if the cache had none to
// drop.
func (c *Cache) Sets(n int) (done int) {
	for ; done < n; done++ {
		size := c.size()
		for !c.set(size) {
			if !c.drop() {
				return done
			}
		}
	}
	return done
}

// set allocates a value, and reports false if the pool is at its limit.
func (c *Cache) set(size int) bool {
	v, err := c.pool.Alloc(size)
	switch {
	case err == nil:
		c.values = append(c.values, v)
		return true
	case errors.Is(err, poolrt.ErrLimit):
		return false
	}
	panic(err)
}

// drop frees any value, and reports false if there is none.
func (c *Cache) drop() bool {
	if len(c.values) == 0 {
		return false
	}
	last := len(c.values) - 1
	v := &c.values[c.random.Next()>>16%uint64(len(c.values))]
	if err := c.pool.Free(*v); err != nil {
		panic(err)
	}
	*v = c.values[last]
	c.values = c.values[:last]
	return true
}

// Full brings a pool to its limit with count live blocks of 64 bytes, and a few others that take up the rest.
func Full(p Pool, count int) error {
	for range count {
		if _, err := p.Alloc(64); err != nil {
			return err
		}
	}
	if err := p.SetLimit(p.Stats().Reserved); err != nil {
		return err
	}
	for size := 1 << 22; size >= 16; size /= 2 {
		for {
			_, err := p.Alloc(size)
			if errors.Is(err, poolrt.ErrLimit) {
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Fail makes n allocations that fail.
func Fail(p Pool, n int) {
	for range n {
		if _, err := p.Alloc(64); !errors.Is(err, poolrt.ErrLimit) {
			panic(err)
		}
	}
}
