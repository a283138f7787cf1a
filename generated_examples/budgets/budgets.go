// Package budgets shows three pools that share the memory of a device. What one does not use, another has when it needs it: first what is empty, then what a cache can
// do without, and last the memory of a pool that goes to sleep.
//
// The tests run on a GPU, and without one on the simulated driver:
//
//	go test -tags cudasim ./generated_examples/budgets
package budgets

import (
	"errors"
	"sync"
)

// Cache keeps blocks for prompts until others need their memory. Safe for concurrent use.
type Cache struct {
	mu   sync.Mutex
	old  []PromptSpan // the oldest first
	stop func()
}

// NewCache makes a cache that gives memory back when other pools of the budget need it.
func NewCache() *Cache {
	c := new(Cache)
	c.stop = DefaultPromptPool().OnReclaim(func(bytes int64) { _ = c.Shrink(bytes) })
	return c
}

// Keep adds a block of n bytes.
func (c *Cache) Keep(n int) error {
	b, err := AllocPrompt(n) // without the lock: Shrink takes it, for another pool
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.old = append(c.old, b)
	return nil
}

// Shrink frees the oldest blocks until they make up so many bytes.
func (c *Cache) Shrink(bytes int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for len(c.old) > 0 && bytes > 0 {
		bytes -= c.old[0].Bytes()
		errs = append(errs, FreePrompt(c.old[0]))
		c.old = c.old[1:]
	}
	return errors.Join(errs...)
}

// Close frees all blocks.
func (c *Cache) Close() error {
	c.stop()
	return c.Shrink(1 << 62)
}
