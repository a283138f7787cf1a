package cuda

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// MemPoolAttribute is a figure or a setting of a [MemPool], by the driver's number.
type MemPoolAttribute int32

// The attributes of a pool. The first three are 0 or 1: whether memory freed on one stream may be reused on another because the driver knows that the
// other has waited, because the work is already done, or by making the other stream wait.
const (
	ReuseFollowEventDependencies   = MemPoolAttribute(abi.PoolReuseFollowEventDependencies)
	ReuseAllowOpportunistic        = MemPoolAttribute(abi.PoolReuseAllowOpportunistic)
	ReuseAllowInternalDependencies = MemPoolAttribute(abi.PoolReuseAllowInternalDependencies)
	ReleaseThreshold               = MemPoolAttribute(abi.PoolReleaseThreshold)   // bytes kept after a wait for a stream, event or device
	ReservedCurrent                = MemPoolAttribute(abi.PoolReservedMemCurrent) // bytes that the pool has; cannot be set
	ReservedHigh                   = MemPoolAttribute(abi.PoolReservedMemHigh)    // the most it had; can be set to 0 only
	UsedCurrent                    = MemPoolAttribute(abi.PoolUsedMemCurrent)     // bytes taken from the pool; cannot be set
	UsedHigh                       = MemPoolAttribute(abi.PoolUsedMemHigh)        // the most that was taken; can be set to 0 only
)

// MemPoolSetting is an attribute of a [MemPool] with the value that it is to have.
type MemPoolSetting struct {
	Attribute MemPoolAttribute
	Value     uint64
}

// Attribute returns a figure or setting, in bytes or 0 and 1.
func (p MemPool) Attribute(a MemPoolAttribute) (uint64, error) {
	v, r := driver.Table().MemPoolGetAttribute(abi.Pool(p.handle), int32(a))
	return v, check(r, "MemPoolGetAttribute", p.device, 0)
}

// SetAttribute changes a setting. A setting of the default pool affects the whole process.
func (p MemPool) SetAttribute(a MemPoolAttribute, value uint64) error {
	const op = "MemPoolSetAttribute"
	switch a {
	case ReservedCurrent, UsedCurrent:
		return refuse(op, p.device, 0, "what a pool has and what is in use can only be read")
	case ReservedHigh, UsedHigh:
		if value != 0 {
			return refuse(op, p.device, 0, "a highest value can only be set to 0")
		}
	case ReuseFollowEventDependencies, ReuseAllowOpportunistic, ReuseAllowInternalDependencies:
		if value > 1 {
			return refuse(op, p.device, 0, "the setting is 0 or 1")
		}
	}
	return check(driver.Table().MemPoolSetAttribute(abi.Pool(p.handle), int32(a), value), op, p.device, 0)
}

// MemPoolStats are the figures of a pool, in bytes. They are read one after the other, and exact if nothing uses the pool meanwhile.
type MemPoolStats struct {
	Reserved, ReservedHigh int64 // bytes that the pool has, and the peak
	Used, UsedHigh         int64 // bytes that are in use, and the peak
}

// Stats returns the figures of the pool.
func (p MemPool) Stats() (MemPoolStats, error) {
	var s MemPoolStats
	for _, f := range []struct {
		a  MemPoolAttribute
		to *int64
	}{{ReservedCurrent, &s.Reserved}, {ReservedHigh, &s.ReservedHigh}, {UsedCurrent, &s.Used}, {UsedHigh, &s.UsedHigh}} {
		v, err := p.Attribute(f.a)
		if err != nil {
			return MemPoolStats{}, err
		}
		*f.to = int64(v)
	}
	return s, nil
}

// ResetPeaks sets the highest values to the current ones.
func (p MemPool) ResetPeaks() error {
	if err := p.SetAttribute(ReservedHigh, 0); err != nil {
		return err
	}
	return p.SetAttribute(UsedHigh, 0)
}

// Access is the access right of a device to memory.
type Access int32

// Access rights.
const (
	NoAccess  = Access(abi.AccessNone)
	ReadOnly  = Access(abi.AccessRead)
	ReadWrite = Access(abi.AccessReadWrite)
)

// SetAccess sets the access right of a device to the pool's memory, present and future. The pool's own device always has full access.
// Removing access while memory is in use is an error.
func (p MemPool) SetAccess(d Device, a Access) error {
	return check(driver.Table().MemPoolSetAccess(abi.Pool(p.handle), int(d), int32(a)), "MemPoolSetAccess", d, 0)
}

// Access returns the access right of a device to the pool's memory.
func (p MemPool) Access(d Device) (Access, error) {
	a, r := driver.Table().MemPoolGetAccess(abi.Pool(p.handle), int(d))
	return Access(a), check(r, "MemPoolGetAccess", d, 0)
}
