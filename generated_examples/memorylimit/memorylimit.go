// Package memorylimit has a cache of pages in a pool beside the Go heap. poolrt.GovernMemory keeps both within the memory limit of the program: the garbage collector
// gets what the cache leaves, and the cache drops pages when memory is short.
package memorylimit

import (
	"errors"
	"io/fs"
	"slices"
	"sync"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Cache holds pages, the oldest first. Safe for concurrent use.
type Cache struct {
	pool *PagePool
	end  func()

	mu    sync.Mutex
	pages [][]byte
}

// NewCache makes a cache that drops its oldest pages when the memory of the program is short.
func NewCache(options ...poolrt.Option) (*Cache, error) {
	pool, err := NewPagePool(options...)
	if err != nil {
		return nil, err
	}
	c := &Cache{pool: pool}
	c.end = pool.OnReclaim(func(bytes int64) { _ = c.drop(bytes) }) // a page that is no block of the pool would be a fault of this package
	return c, nil
}

// Add adds a page of so many bytes, and returns it to be filled.
func (c *Cache) Add(size int) ([]byte, error) {
	page, err := c.pool.Alloc(size)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages = append(c.pages, page)
	return page, nil
}

// drop drops the oldest pages, until they make up so many bytes.
func (c *Cache) drop(bytes int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for ; n < len(c.pages) && bytes > 0; n++ {
		bytes -= int64(len(c.pages[n]))
		if err := c.pool.Free(c.pages[n]); err != nil {
			return err
		}
	}
	c.pages = slices.Delete(c.pages, 0, n)
	return nil
}

// Bytes returns what the pages make up.
func (c *Cache) Bytes() int64 { return c.pool.Stats().LiveBytes }

// Close drops all pages, and gives their memory back.
func (c *Cache) Close() error {
	c.end()
	return errors.Join(c.drop(poolrt.NoLimit), c.pool.Close())
}

// Run runs a program within its memory limit. Without a limit it runs as it would anyway.
func Run(files fs.FS, program func() error) error {
	stop, err := poolrt.GovernMemory(poolrt.GovernOptions{Files: files})
	switch {
	case errors.Is(err, poolrt.ErrUnsupported): // there is nothing to keep to
		return program()
	case err != nil:
		return err
	}
	defer stop()
	return program()
}
