package corpus

import (
	"encoding/json"
	"errors"
	"log"
	"sync"

	"example.com/vet/pools"
)

// A cache that owns blocks.

type cache struct {
	mu      sync.Mutex
	limit   int
	order   []string
	entries map[string]*pools.Vertex
}

func (c *cache) cacheEvictsOnLimit(name string, v *pools.Vertex) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.order) >= c.limit {
		oldest := c.order[0]
		c.order = c.order[1:]
		old := c.entries[oldest]
		delete(c.entries, oldest)
		err = errors.Join(err, pools.FreeVertex(old))
	}
	c.order = append(c.order, name)
	c.entries[name] = v
	return err
}

func (c *cache) cacheLogsEvicted() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.order) == 0 {
		return nil
	}
	oldest := c.order[0]
	old := c.entries[oldest]
	c.order = c.order[1:]
	delete(c.entries, oldest)
	if err := pools.FreeVertex(old); err != nil {
		return err
	}
	log.Printf("evicted %s at %v, %v, %v", oldest, old.X, old.Y, old.Z) // WRONG use: the entry is free
	return nil
}

func (c *cache) cacheLoadsOnMiss(name string, load func(*pools.Vertex) error) (*pools.Vertex, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.entries[name]; ok {
		return v, nil
	}
	v, err := pools.AllocVertex()
	if err != nil {
		return nil, err
	}
	if err := load(v); err != nil {
		return nil, errors.Join(err, pools.FreeVertex(v))
	}
	c.entries[name] = v
	c.order = append(c.order, name)
	return v, nil
}

func (c *cache) cacheLoadLeaksOnBadText(name string, text []byte) (*pools.Vertex, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.entries[name]
	if !ok {
		var err error
		if v, err = pools.AllocVertex(); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, v); err != nil {
			return nil, err // WRONG leak: the new block is in no entry yet
		}
		c.entries[name] = v
		c.order = append(c.order, name)
	}
	return v, nil
}

func (c *cache) cacheDropsEntry(name string) error {
	c.mu.Lock()
	v, ok := c.entries[name]
	delete(c.entries, name)
	c.mu.Unlock()
	if !ok {
		return nil
	}
	return pools.FreeVertex(v)
}

func (c *cache) cacheTakesAndFrees(name string) (*pools.Vertex, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.entries[name]
	if v == nil {
		return nil, errEmpty
	}
	delete(c.entries, name)
	if len(c.entries) == 0 {
		c.order = nil
	}
	return v, pools.FreeVertex(v) // WRONG use: the caller gets a block that is free
}

func (c *cache) cacheClearsAll() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, v := range c.entries {
		err = errors.Join(err, pools.FreeVertex(v))
		delete(c.entries, name)
	}
	c.order = c.order[:0]
	return err
}

func (c *cache) cacheOverwritesEntry(name string, x float32) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	*v = pools.Vertex{X: x}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[name]; !ok {
		c.order = append(c.order, name)
	}
	c.entries[name] = v // WRONG leak: the block that the entry had is not freed
	return nil
}

func (c *cache) cacheReplacesWithCopy(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, ok := c.entries[name]
	if !ok {
		return errEmpty
	}
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	*v = *old
	c.entries[name] = v
	return pools.FreeVertex(old)
}

func (c *cache) cacheComparesInSpareCorner(name string, by float32) (float32, error) {
	v, err := pools.AllocCorner()
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old, ok := c.entries[name]
	if !ok {
		return 0, errors.Join(errEmpty, pools.FreeCorner(v))
	}
	*v = *old
	move(v, by)
	difference := length(v) - length(old)
	return difference, pools.FreeVertex(v) // WRONG pool: the spare block is of Corner
}
