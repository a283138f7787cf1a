package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// MemPoolGetAttribute returns a policy, the threshold or a counter.
func (d *Driver) MemPoolGetAttribute(h abi.Pool, attribute int32) (uint64, abi.Result) {
	p, r := d.beginPool("cuMemPoolGetAttribute", h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	switch attribute {
	case abi.PoolReuseFollowEventDependencies, abi.PoolReuseAllowOpportunistic, abi.PoolReuseAllowInternalDependencies:
		if p.policies[attribute] {
			return 1, abi.Success
		}
		return 0, abi.Success
	}
	if value := p.counter(attribute); value != nil {
		return *value, abi.Success
	}
	return 0, abi.InvalidValue
}

// counter returns the counter of an attribute, nil if the attribute is not a number of bytes.
func (p *pool) counter(attribute int32) *uint64 {
	return map[int32]*uint64{
		abi.PoolReleaseThreshold:   &p.threshold,
		abi.PoolReservedMemCurrent: &p.reserved,
		abi.PoolReservedMemHigh:    &p.reservedHigh,
		abi.PoolUsedMemCurrent:     &p.used,
		abi.PoolUsedMemHigh:        &p.usedHigh,
	}[attribute]
}

// MemPoolSetAttribute sets a policy or the threshold. It can set a high-water mark to 0, which makes it the current value.
func (d *Driver) MemPoolSetAttribute(h abi.Pool, attribute int32, value uint64) abi.Result {
	p, r := d.beginPool("cuMemPoolSetAttribute", h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	switch attribute {
	case abi.PoolReuseFollowEventDependencies, abi.PoolReuseAllowOpportunistic, abi.PoolReuseAllowInternalDependencies:
		p.policies[attribute] = value != 0
	case abi.PoolReleaseThreshold:
		p.threshold = value
	case abi.PoolReservedMemHigh, abi.PoolUsedMemHigh:
		if value != 0 {
			return abi.InvalidValue
		}
		*p.counter(attribute) = 0
		p.count(0, 0)
	default:
		return abi.InvalidValue
	}
	return abi.Success
}

// MemPoolSetAccess lets a device access the memory of a pool. The access of its own device cannot be removed.
func (d *Driver) MemPoolSetAccess(h abi.Pool, dev int, access int32) abi.Result {
	p, r := d.beginPool("cuMemPoolSetAccess", h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	at, r := d.device(dev)
	switch {
	case r != abi.Success:
		return r
	case access != abi.AccessNone && access != abi.AccessRead && access != abi.AccessReadWrite:
		return abi.InvalidValue
	case at == p.dev && access == abi.AccessReadWrite:
		return abi.Success
	case at == p.dev, p.dev != nil && !d.peers(dev, p.dev.ordinal):
		return abi.InvalidDevice
	}
	p.access[dev] = access
	return abi.Success
}

// MemPoolGetAccess returns how a device may access the memory of a pool.
func (d *Driver) MemPoolGetAccess(h abi.Pool, dev int) (int32, abi.Result) {
	p, r := d.beginPool("cuMemPoolGetAccess", h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	at, r := d.device(dev)
	if r != abi.Success {
		return 0, r
	}
	if p.allows(at, true) {
		return abi.AccessReadWrite, abi.Success
	}
	return p.access[dev], abi.Success
}
