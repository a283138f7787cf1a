package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// contextFlags are all flags of primary contexts that the driver knows.
const contextFlags = abi.ContextSchedMask | 0x8 | 0x10 | 0x20 | 0x40 | 0x80

// DevicePrimaryCtxSetFlags replaces the flags of a primary context. They have no effect.
func (d *Driver) DevicePrimaryCtxSetFlags(dev int, flags uint32) abi.Result {
	_, r := d.beginOn("cuDevicePrimaryCtxSetFlags", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	if sched := flags & abi.ContextSchedMask; flags&^contextFlags != 0 || sched&(sched-1) != 0 {
		return abi.InvalidValue
	}
	d.flags[dev] = flags
	return abi.Success
}

// DevicePrimaryCtxGetState returns the flags of a primary context, and whether it is retained.
func (d *Driver) DevicePrimaryCtxGetState(dev int) (flags uint32, active bool, _ abi.Result) {
	_, r := d.beginOn("cuDevicePrimaryCtxGetState", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, false, r
	}
	return d.flags[dev], d.contexts[dev] != nil, abi.Success
}
