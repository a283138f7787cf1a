// Package lru shows a cache at its limit: the limit of the pool is the size of the cache. A value that finds no room drops the values that were
// used least recently.
package lru

import (
	"container/list"
	"errors"
	"sync"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Cache keeps copies of values by key. All methods are safe for concurrent use.
type Cache struct {
	pool ValuePool

	mu    sync.Mutex // guards the fields below; not held while the pool allocates
	byKey map[string]*list.Element
	used  list.List // of *entry, the one used last first
}

type entry struct {
	key   string
	value []byte // a block of the pool
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{byKey: map[string]*list.Element{}} }

// Set keeps a copy of a value, and drops the values used least recently as long as there is no room.
func (c *Cache) Set(key string, value []byte) error {
	for {
		block, err := c.pool.Alloc(len(value))
		if err == nil {
			copy(block, value)
			return c.put(key, block)
		}
		if !errors.Is(err, poolrt.ErrLimit) {
			return err
		}
		if any, failed := c.dropOldest(); !any {
			return errors.Join(err, failed)
		}
	}
}

// SetIfRoom keeps a copy of a value if the memory that the pool holds has room for it, and reports whether it has. It drops no other value, and the
// pool does not grow: it is for values that are cheap to get again.
func (c *Cache) SetIfRoom(key string, value []byte) (bool, error) {
	block, ok := c.pool.TryAlloc(len(value))
	if !ok {
		return false, nil
	}
	copy(block, value)
	return true, c.put(key, block)
}

// Get appends the value of a key to dst. It copies, as another goroutine may drop the value.
func (c *Cache) Get(key string, dst []byte) (value []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return dst, false
	}
	c.used.MoveToFront(e)
	return append(dst, e.Value.(*entry).value...), true
}

// Close drops all values, and returns the memory.
func (c *Cache) Close() error {
	for {
		if any, err := c.dropOldest(); !any || err != nil {
			return errors.Join(err, c.pool.Close())
		}
	}
}

// put enters a block, and frees the one that the key had before.
func (c *Cache) put(key string, block []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.byKey[key]
	c.byKey[key] = c.used.PushFront(&entry{key, block})
	if old == nil {
		return nil
	}
	return c.pool.Free(c.used.Remove(old).(*entry).value)
}

// dropOldest drops the value that was used least recently, and reports whether there was one.
func (c *Cache) dropOldest() (any bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.used.Back()
	if last == nil {
		return false, nil
	}
	e := c.used.Remove(last).(*entry)
	delete(c.byKey, e.key)
	return true, c.pool.Free(e.value)
}
