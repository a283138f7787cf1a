package poolimpl

import (
	"errors"
	"slices"
	"sync"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Registrar makes chunks known to a library that moves their bytes, such as a communicator of NCCL. Its methods are called without the pool's lock, by one goroutine of
// a pool at a time. A Registrar is comparable.
type Registrar interface {
	// Register makes a chunk known, and returns what Deregister needs. It is called when a chunk has come, and for those that the pool has when it is attached.
	Register(Chunk) (handle uintptr, err error)
	// Deregister is the reverse. It is called before the memory of a chunk goes back, and when the Registrar is detached.
	Deregister(handle uintptr) error
}

// registrars are the libraries that know the chunks of a pool with the key registered, and these chunks. They are safe for concurrent use: chunks come and go without
// the pool's lock. Chunks are those of the source, also in debug builds.
type registrars struct {
	mu     sync.Mutex
	chunks map[uint64]*knownChunk // by address
	list   []Registrar
}

// knownChunk is a chunk with the handles that registrars have given it.
type knownChunk struct {
	Chunk
	handles map[Registrar]uintptr
}

func (r *registrars) attach(to Registrar) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.list, to) {
		return nil
	}
	for _, c := range r.chunks {
		if err := c.register(to); err != nil {
			return errors.Join(err, r.forget(to))
		}
	}
	r.list = append(r.list, to)
	return nil
}

func (r *registrars) detach(from Registrar) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(l Registrar) bool { return l == from })
	return r.forget(from)
}

// forget has a registrar forget all chunks.
func (r *registrars) forget(from Registrar) error {
	var errs []error
	for _, c := range r.chunks {
		errs = append(errs, c.deregister(from))
	}
	return errors.Join(errs...)
}

// came notes a chunk that the source has supplied. If a registrar refuses it, the others do not know it either. A pool without the key notes none.
func (r *registrars) came(c Chunk) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := &knownChunk{c, map[Registrar]uintptr{}}
	for _, to := range r.list {
		if err := k.register(to); err != nil {
			return &causedBy{poolrt.ErrUnsupported, errors.Join(err, k.deregisterAll())}
		}
	}
	r.chunks[c.Addr] = k
	return nil
}

// goes has all registrars forget a chunk that is about to go back to the source. As long as one refuses, the chunk must stay.
func (r *registrars) goes(c Chunk) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.chunks[c.Addr]
	if k == nil {
		return nil
	}
	if err := k.deregisterAll(); err != nil {
		return err
	}
	delete(r.chunks, c.Addr)
	return nil
}

func (c *knownChunk) register(to Registrar) error {
	handle, err := to.Register(c.Chunk)
	if err == nil {
		c.handles[to] = handle
	}
	return err
}

func (c *knownChunk) deregister(from Registrar) error {
	handle, ok := c.handles[from]
	if !ok {
		return nil
	}
	err := from.Deregister(handle)
	if err == nil {
		delete(c.handles, from)
	}
	return err
}

func (c *knownChunk) deregisterAll() error {
	var errs []error
	for r := range c.handles {
		errs = append(errs, c.deregister(r))
	}
	return errors.Join(errs...)
}
