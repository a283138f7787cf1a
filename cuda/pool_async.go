package cuda

import (
	"errors"
	"fmt"
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// PoolSettings are the settings of a driver's memory pool.
type PoolSettings struct {
	Custom   bool   // a pool of its own; else the device's default pool, whose settings affect the whole process
	Managed  bool   // Custom: managed memory instead of memory that stays where it is
	Location string // Custom: "device", "host" or "host_numa"
	NUMA     int    // of the location host_numa
	MaxSize  int64  // Custom: bytes; 0: the driver's own limit
	Handles  string // Custom: "none", "fd", "win32" or "fabric": how it can be shared

	Settings   []MemPoolSetting // attributes to set; others stay as they are
	SetCurrent bool             // cuMemAllocAsync of the whole process uses it until the pool is closed
}

// bind is allocator device_async: what cuMemAllocAsync does, from the pool that is the device's current one at each call. With settings that do not belong to device_pool,
// which the pool file may name as well, it is the pool that these describe. Peers get access to the default pool only: others are for their owners to change.
func (AsyncMemory) bind(m Allocator, at site, ask poolimpl.Binding) (poolimpl.Bound, error) {
	own := m.Pool != nil && m.Pool.Custom
	switch {
	case own && m.Name != "device_pool" && !slices.Contains(ask.Allocators, "device_pool"):
		return PoolMemory{}.bind(m, at, ask)
	case len(m.Peers) == 0 && !m.AllPeers && (own || m.Pool == nil):
		m.Pool = nil
		return m.supply(at, ask, 0, nil)
	}
	return m.byDefault(at, ask)
}

// byDefault supplies memory of the device's default pool.
func (m Allocator) byDefault(at site, ask poolimpl.Binding) (poolimpl.Bound, error) {
	pool, r := at.drv.DeviceGetDefaultMemPool(int(at.dev))
	if err := check(r, "DeviceGetDefaultMemPool", at.dev, 0); err != nil {
		return poolimpl.Bound{}, err
	}
	return m.supply(at, ask, pool, nil)
}

// bind is allocator device_pool: cuMemAllocFromPoolAsync from a pool of its own, or the default pool with settings.
func (PoolMemory) bind(m Allocator, at site, ask poolimpl.Binding) (poolimpl.Bound, error) {
	if m.Pool == nil && m.Shareable { // it replaces another allocator, and the default pool cannot be shared
		m.Pool = &PoolSettings{Custom: true, Location: "device"}
	}
	if m.Pool == nil || !m.Pool.Custom {
		return m.byDefault(at, ask)
	}
	var exports *poolExport
	if m.Shareable {
		id, err := at.identify(abi.AttributePoolHandleTypes, "memory pools")
		if err != nil {
			return poolimpl.Bound{}, err
		}
		exports = &poolExport{site: at, identity: id, tokens: map[uint64]PoolPtr{}}
	}
	pool, r := at.drv.MemPoolCreate(m.props(at.dev))
	if err := check(r, "MemPoolCreate", at.dev, 0); err != nil {
		return poolimpl.Bound{}, err
	}
	destroy := func() error { return check(at.drv.MemPoolDestroy(pool), "MemPoolDestroy", at.dev, 0) }
	b, err := m.supply(at, ask, pool, destroy)
	if err != nil {
		return unfinished(b, err, destroy)
	}
	if exports != nil {
		exports.handle = pool
		b.Driver = asyncSource{exports.site, pool, b.Source.(asyncSource).stream, exports}
	}
	return b, nil
}

// props returns the driver's description of a pool of its own.
func (m Allocator) props(d Device) abi.PoolProps {
	p := abi.PoolProps{Type: abi.AllocationPinned, Location: abi.LocationDevice, ID: int32(d), MaxSize: uint64(m.Pool.MaxSize)}
	switch m.Pool.Location {
	case "host":
		p.Location, p.ID = abi.LocationHost, 0
	case "host_numa":
		p.Location, p.ID = abi.LocationHostNUMA, int32(m.Pool.NUMA)
	}
	if m.Pool.Managed {
		p.Type = abi.AllocationManaged
	}
	handles := map[string]int32{"fd": abi.HandleFD, "win32": abi.HandleWin32, "fabric": abi.HandleFabric}
	p.Handles = handles[m.Pool.Handles]
	if m.Shareable {
		p.Handles |= abi.HandleFD
	}
	return p
}

// supply makes a source of a pool: it applies the settings, and makes a stream for the driver's calls.
func (m Allocator) supply(at site, ask poolimpl.Binding, pool abi.Pool, end func() error) (poolimpl.Bound, error) {
	s, r := at.drv.StreamCreate(at.ctx, abi.StreamNonBlocking, 0)
	if err := check(r, "StreamCreate", at.dev, 0); err != nil {
		return poolimpl.Bound{}, err
	}
	destroy := func() error { return check(at.drv.StreamDestroy(at.ctx, s), "StreamDestroy", at.dev, 0) }
	if err := m.configure(at, pool); err != nil {
		return unfinished(poolimpl.Bound{}, err, destroy)
	}
	src := asyncSource{site: at, pool: pool, stream: s}
	all := &ending{[]func() error{destroy}}
	if ask.Ordered { // blocks were freed on the stream, and nobody has waited for it
		all.steps[0] = func() error {
			if err := src.sync(); err != nil {
				return err
			}
			return destroy()
		}
	}
	if m.Pool != nil && m.Pool.SetCurrent { // last, because it affects the whole process
		c, err := at.makeCurrent(pool)
		if err != nil {
			return unfinished(poolimpl.Bound{}, err, destroy)
		}
		all.steps = append(all.steps, c.end)
	}
	if end != nil {
		all.steps = append(all.steps, end)
	}
	return poolimpl.Bound{Source: src, Driver: src, Close: all.run}, nil
}

// configure gives peers access and applies the settings.
func (m Allocator) configure(at site, pool abi.Pool) error {
	for _, peer := range m.Peers {
		if err := check(at.drv.MemPoolSetAccess(pool, peer, abi.AccessReadWrite), "MemPoolSetAccess", at.dev, 0); err != nil {
			return err
		}
	}
	if m.Pool == nil {
		return nil
	}
	for _, s := range m.Pool.Settings {
		if err := check(at.drv.MemPoolSetAttribute(pool, int32(s.Attribute), s.Value), "MemPoolSetAttribute", at.dev, 0); err != nil {
			return err
		}
	}
	return nil
}

// asyncSource supplies memory from a driver's pool. It makes its calls on a stream of its own and waits for them, so every stream can use a chunk.
// Chunks are returned when no stream uses them any more.
type asyncSource struct {
	site
	pool    abi.Pool // 0: the one that is current at each call
	stream  abi.Stream
	exports *poolExport // nil: the pool is not shareable
}

func (s asyncSource) Alloc(size, align int64) (poolimpl.Chunk, error) {
	return aligned(size, align, func(n int64) (poolimpl.Chunk, error) {
		p, err := s.allocOn(&s.site, n, s.stream)
		if errors.Is(err, poolrt.ErrOutOfMemory) && s.trim(0) == nil { // it keeps pieces that are too small
			p, err = s.allocOn(&s.site, n, s.stream)
		}
		if err != nil {
			return poolimpl.Chunk{}, s.inPieces(err)
		}
		if err := s.sync(); err != nil {
			return poolimpl.Chunk{Addr: uint64(p)}, err // the pool returns the chunk
		}
		return poolimpl.Chunk{Addr: uint64(p)}, nil
	})
}

// allocOn allocates memory in the order of a stream of any device.
func (s *asyncSource) allocOn(at *site, bytes int64, on abi.Stream) (abi.Ptr, error) {
	if s.pool == 0 && at.dev == s.dev {
		p, r := at.drv.MemAllocAsync(at.ctx, uint64(bytes), on)
		return p, check(r, "MemAllocAsync", at.dev, bytes)
	}
	from, err := s.behind()
	if err != nil {
		return 0, err
	}
	p, r := at.drv.MemAllocFromPoolAsync(at.ctx, uint64(bytes), abi.Pool(from.handle), on)
	return p, check(r, "MemAllocFromPoolAsync", at.dev, bytes)
}

// trim makes the driver's pool return unused memory, until it reserves no more than keep bytes.
func (s asyncSource) trim(keep int64) error {
	if err := s.sync(); err != nil { // the driver returns only memory whose free it has seen
		return err
	}
	p, err := s.behind()
	if err != nil {
		return err
	}
	return p.Trim(keep)
}

// behind returns the driver's pool.
func (s asyncSource) behind() (MemPool, error) {
	if s.pool == 0 {
		return s.dev.CurrentMemPool()
	}
	return MemPool{uintptr(s.pool), s.dev}, nil
}

// sync waits for the stream of the source.
func (s asyncSource) sync() error {
	return check(s.drv.StreamSynchronize(s.ctx, s.stream), "StreamSynchronize", s.dev, 0)
}

// inPieces adds to an error how much memory the driver's pool has in pieces between what is used.
func (s asyncSource) inPieces(err error) error {
	p, failed := s.behind()
	if failed != nil || !errors.Is(err, poolrt.ErrOutOfMemory) {
		return err
	}
	figures, failed := p.Stats()
	if free := figures.Reserved - figures.Used; failed == nil && free > 0 {
		return fmt.Errorf("%w; the driver's pool has %d bytes free, in pieces between those in use", err, free)
	}
	return err
}

func (s asyncSource) Free(c poolimpl.Chunk) error {
	return check(s.drv.MemFreeAsync(s.ctx, abi.Ptr(c.Origin), s.stream), "MemFreeAsync", s.dev, c.Size)
}
