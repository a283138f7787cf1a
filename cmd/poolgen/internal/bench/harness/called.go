package harness

import (
	"errors"
	"time"
)

// Calls are the two calls of a peer.
type Calls struct {
	Take  func(bytes int64) (uint64, error)
	Give  func(at uint64, bytes int64) error
	Close func() error // may be nil
}

func (c *Calls) close() error {
	if c.Close == nil {
		return nil
	}
	return c.Close()
}

// Called returns a peer whose calls are made by open, once for each worker.
func Called(name string, granule int64, open func() (Calls, error)) Peer {
	return Peer{
		Name: name, Granule: granule,
		Open: func(loads []*Load) ([]Worker, func() error, error) { return calledWorkers(loads, open) },
		Once: func(bytes int64) (took time.Duration, err error) {
			c, err := open()
			if err != nil {
				return 0, err
			}
			defer func() { err = errors.Join(err, c.close()) }()
			start := time.Now()
			at, err := c.Take(bytes)
			took = time.Since(start)
			if err != nil {
				return 0, err
			}
			return took, c.Give(at, bytes)
		},
	}
}

// called is a worker that allocates and frees by calls.
type called struct {
	Calls
	load   *Load
	filled bool
	blocks []held
}

type held struct {
	at    uint64
	bytes int64 // 0: none
}

func calledWorkers(loads []*Load, open func() (Calls, error)) (all []Worker, end func() error, err error) {
	var list []*called
	end = func() error {
		var errs []error
		for _, c := range list {
			errs = append(errs, c.drop(), c.close())
		}
		return errors.Join(errs...)
	}
	for _, l := range loads {
		calls, err := open()
		if err != nil {
			return nil, nil, errors.Join(err, end())
		}
		c := &called{Calls: calls, load: l, blocks: make([]held, l.Live)}
		list = append(list, c)
		if l.Batch {
			all = append(all, c.batches)
		} else {
			all = append(all, c.churn)
		}
	}
	return all, end, nil
}

func (c *called) churn(n int) (int, error) {
	if !c.filled {
		c.filled = true
		if err := c.fill(); err != nil {
			return 0, err
		}
	}
	for range n {
		s := c.load.Next()
		b := &c.blocks[s.Slot]
		if err := c.Give(b.at, b.bytes); err != nil {
			return 0, err
		}
		b.bytes = 0
		if err := c.take(b, s); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func (c *called) batches(n int) (done int, err error) {
	for ; done < n; done += len(c.blocks) {
		if err := c.fill(); err != nil {
			return 0, err
		}
		if err := c.drop(); err != nil {
			return 0, err
		}
	}
	return done, nil
}

func (c *called) fill() error {
	for i := range c.blocks {
		if err := c.take(&c.blocks[i], c.load.Next()); err != nil {
			return err
		}
	}
	return nil
}

func (c *called) take(b *held, s Step) error {
	bytes := c.load.Bytes(s)
	at, err := c.Take(bytes)
	if err == nil {
		*b = held{at, bytes}
	}
	return err
}

// drop frees all blocks that the worker holds.
func (c *called) drop() error {
	for i := range c.blocks {
		b := &c.blocks[i]
		if b.bytes == 0 {
			continue
		}
		if err := c.Give(b.at, b.bytes); err != nil {
			return err
		}
		b.bytes = 0
	}
	return nil
}
