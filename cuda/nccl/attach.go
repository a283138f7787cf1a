package nccl

import (
	"errors"
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// attached are the pools whose chunks a rank has registered.
type attached struct {
	mu      sync.Mutex
	engines []*poolimpl.Engine
}

// registrar is a rank as pools see it.
type registrar struct{ *Comm }

// Attach registers the chunks of a pool with a rank on the pool's device, and each that comes, until [Detach], or until the pool or the rank is closed, whichever is first.
// The pool's file says registered: true. A pool can be attached to any number of ranks. Registering a chunk takes a few microseconds, and helps from some megabytes on; a
// rank does not wait for others. Attaching again changes nothing.
func Attach(pool poolrt.Registered, c *Comm) error {
	const op = "CommRegister"
	engine, ok := pool.RegisteredPool().(*poolimpl.Engine)
	if !ok {
		return refuse(op, c.rank, "%T is not a pool of poolgen", pool)
	}
	c.pools.mu.Lock()
	defer c.pools.mu.Unlock()
	if c.ended.Load() {
		return c.closed(op)
	}
	if err := engine.Attach(registrar{c}); err != nil {
		return err
	}
	if !slices.Contains(c.pools.engines, engine) {
		c.pools.engines = append(c.pools.engines, engine)
	}
	return nil
}

// Detach deregisters the chunks of a pool. If the library refuses, Detach can be called again. A pool that is not attached is no error.
func Detach(pool poolrt.Registered, c *Comm) error {
	engine, ok := pool.RegisteredPool().(*poolimpl.Engine)
	if !ok {
		return nil
	}
	c.pools.mu.Lock()
	defer c.pools.mu.Unlock()
	return c.detach(engine)
}

// detach is Detach with the lock held.
func (c *Comm) detach(engine *poolimpl.Engine) error {
	if err := engine.Detach(registrar{c}); err != nil {
		return err
	}
	c.pools.engines = slices.DeleteFunc(c.pools.engines, func(e *poolimpl.Engine) bool { return e == engine })
	return nil
}

// detachAll detaches all pools. Those that the library refuses to forget stay attached. The lock is held.
func (c *Comm) detachAll() error {
	var errs []error
	for _, engine := range slices.Clone(c.pools.engines) {
		errs = append(errs, c.detach(engine))
	}
	return errors.Join(errs...)
}

// Register makes a chunk known. A rank that was aborted knows none, and pools go on without it.
func (r registrar) Register(chunk poolimpl.Chunk) (handle uintptr, err error) {
	const op = "CommRegister"
	if d, result := driver.Table().PointerGetDevice(abi.Ptr(chunk.Addr)); result == abi.Success && cuda.Device(d) != r.device {
		return 0, refuse(op, r.rank, "the pool is on device %d, the rank on device %d", d, r.device)
	}
	err = r.use(op, func() (result abi.NCCLResult) {
		handle, result = r.lib.CommRegister(r.handle, abi.Ptr(chunk.Addr), uint64(chunk.Size))
		return result
	})
	if errors.Is(err, poolrt.ErrClosed) {
		return 0, nil
	}
	return handle, err
}

// Deregister is the reverse of Register. NCCL makes no handle, 0, where it is set not to register.
func (r registrar) Deregister(handle uintptr) error {
	if handle == 0 {
		return nil
	}
	err := r.use("CommDeregister", func() abi.NCCLResult { return r.lib.CommDeregister(r.handle, handle) })
	if errors.Is(err, poolrt.ErrClosed) {
		return nil
	}
	return err
}
