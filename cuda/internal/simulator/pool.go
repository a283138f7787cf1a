package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// pooling is the state of memory pools.
type pooling struct {
	pools map[abi.Pool]*pool
	all   []*pool // in the order of their making, destroyed ones with live memory included
}

func newPooling() pooling { return pooling{pools: map[abi.Pool]*pool{}} }

// pool is a memory pool of the driver. It reserves slabs of physical memory and allocates blocks in them.
type pool struct {
	handle    abi.Pool
	props     abi.PoolProps
	dev       *device // nil: memory of the host
	slabs     []*slab
	access    map[int]int32
	policies  [4]bool // which reuse is allowed, by the number of the attribute
	threshold uint64

	reserved, reservedHigh uint64
	used, usedHigh         uint64
	freeing                int // frees that are queued

	destroyed bool
	imported  bool
	shared    *shared // of exportable and imported pools
	exported  bool    // the pool was exported as a file
}

// newPool makes a pool with all reuse allowed and a threshold of 0.
func (d *Driver) newPool(h abi.Pool, dev *device, props abi.PoolProps) *pool {
	p := &pool{handle: h, props: props, dev: dev, access: map[int]int32{}, policies: [4]bool{false, true, true, true}}
	d.pools[h] = p
	d.all = append(d.all, p)
	return p
}

// allows reports whether a device may access the pool's memory: its own, and those that were given access.
func (p *pool) allows(dev *device, write bool) bool {
	return p.dev == dev || p.dev == nil || permits(p.access[dev.ordinal], write)
}

// count adds to the counters of memory; a two's complement subtracts.
func (p *pool) count(reserved, used uint64) {
	p.reserved += reserved
	p.used += used
	p.reservedHigh = max(p.reservedHigh, p.reserved)
	p.usedHigh = max(p.usedHigh, p.used)
}

// beginPool is begin for a function of a pool.
func (d *Driver) beginPool(function string, h abi.Pool) (*pool, abi.Result) {
	if r := d.begin(function); r != abi.Success {
		return nil, r
	}
	p := d.pools[h]
	if p == nil {
		return nil, abi.InvalidValue
	}
	return p, abi.Success
}

// beginPools is beginOn for a function that needs a device with pools.
func (d *Driver) beginPools(function string, dev int) (*device, abi.Result) {
	at, r := d.beginOn(function, dev)
	if r == abi.Success && at.attributes[abi.AttributeMemoryPools] == 0 {
		return nil, abi.NotSupported
	}
	return at, r
}

// DeviceGetDefaultMemPool returns the pool that a device has from the start.
func (d *Driver) DeviceGetDefaultMemPool(dev int) (abi.Pool, abi.Result) {
	at, r := d.beginPools("cuDeviceGetDefaultMemPool", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	return at.home.handle, abi.Success
}

// DeviceGetMemPool returns the pool that MemAllocAsync takes memory from.
func (d *Driver) DeviceGetMemPool(dev int) (abi.Pool, abi.Result) {
	at, r := d.beginPools("cuDeviceGetMemPool", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	return at.pool.handle, abi.Success
}

// DeviceSetMemPool sets the pool that MemAllocAsync takes memory from: one of the device.
func (d *Driver) DeviceSetMemPool(dev int, h abi.Pool) abi.Result {
	at, r := d.beginPools("cuDeviceSetMemPool", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	p := d.pools[h]
	if p == nil || p.dev != at || p.imported {
		return abi.InvalidValue
	}
	at.pool = p
	return abi.Success
}

// MemPoolCreate makes a pool on a device, or in memory of the host where the first device has the attribute for it.
func (d *Driver) MemPoolCreate(props abi.PoolProps) (abi.Pool, abi.Result) {
	r := d.begin("cuMemPoolCreate")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	dev, r := d.locate(props)
	if r != abi.Success {
		return 0, r
	}
	var file *shared
	if props.Handles == abi.HandleFD {
		if file = newShared("pool", int(props.ID), 0); file == nil {
			return 0, abi.NotSupported
		}
	}
	p := d.newPool(abi.Pool(d.handle(KindPool)), dev, props)
	p.shared = file
	d.born(KindPool, uint64(p.handle), 0)
	return p.handle, abi.Success
}

// locate checks the properties of a new pool and returns its device, nil for the host.
func (d *Driver) locate(props abi.PoolProps) (*device, abi.Result) {
	if props.Type != abi.AllocationPinned && props.Type != abi.AllocationManaged {
		return nil, abi.InvalidValue
	}
	ask := map[int32]int32{abi.LocationHost: abi.AttributeHostMemoryPools, abi.LocationHostNUMA: abi.AttributeHostNUMAMemoryPools}
	if attribute, host := ask[props.Location]; host {
		if first, r := d.device(0); r != abi.Success || first.attributes[attribute] == 0 || props.Handles != abi.HandleNone {
			return nil, abi.NotSupported
		}
		return nil, abi.Success
	}
	if props.Location != abi.LocationDevice {
		return nil, abi.InvalidValue
	}
	dev, r := d.device(int(props.ID))
	switch {
	case r != abi.Success:
		return nil, r
	case dev.attributes[abi.AttributeMemoryPools] == 0, props.Handles&^dev.attributes[abi.AttributePoolHandleTypes] != 0:
		return nil, abi.NotSupported
	case props.Type == abi.AllocationManaged:
		return nil, abi.NotSupported
	}
	return dev, abi.Success
}

// MemPoolDestroy destroys a pool. Its live memory remains until it is freed. A device whose current pool it was returns to its default
// pool, which cannot be destroyed.
func (d *Driver) MemPoolDestroy(h abi.Pool) abi.Result {
	p, r := d.beginPool("cuMemPoolDestroy", h)
	defer d.mu.Unlock()
	switch {
	case r == abi.InvalidValue:
		d.badRelease("cuMemPoolDestroy", uint64(h))
		return r
	case r != abi.Success:
		return r
	case p.dev != nil && p == p.dev.home:
		return abi.InvalidValue
	}
	if p.dev != nil && p.dev.pool == p {
		p.dev.pool = p.dev.home
	}
	delete(d.pools, h)
	d.died(KindPool, uint64(h))
	p.destroyed = true
	d.bury(p)
	return abi.Success
}

// bury frees the memory of a destroyed pool when none of it is live, and all streams have reached their frees.
func (d *Driver) bury(p *pool) {
	if !p.destroyed || p.used > 0 || p.freeing > 0 {
		return
	}
	d.release(p, 0, func(*op) bool { return true })
	p.releaseShared()
	d.all = slices.DeleteFunc(d.all, func(o *pool) bool { return o == p })
}

// MemPoolTrimTo returns memory whose frees the host knows to be done, until keep bytes stay reserved.
func (d *Driver) MemPoolTrimTo(h abi.Pool, keep uint64) abi.Result {
	p, r := d.beginPool("cuMemPoolTrimTo", h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	d.release(p, keep, d.isOver)
	return abi.Success
}

// trimPools returns the memory of pools above their threshold, after a wait of the host.
func (d *Driver) trimPools() {
	for _, p := range d.all {
		if p.reserved > p.threshold {
			d.release(p, p.threshold, d.isOver)
		}
	}
}
