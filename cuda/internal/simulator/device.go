package simulator

import (
	"fmt"
	"maps"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// device is one simulated card.
type device struct {
	ordinal    int
	capacity   uint64
	used       uint64
	attributes map[int32]int32
	home       *pool // the default pool
	pool       *pool // the current one
}

// Attributes beyond those that package abi names.
const (
	maxBlock        = 2 // of x; those of y and z follow
	maxGrid         = 5 // likewise
	warpSize        = 10
	clockRate       = 13
	memoryClockRate = 36
	memoryBusWidth  = 37
	l2CacheSize     = 38
)

// defaultAttributes are those of a recent large GPU; missing ones are 0.
var defaultAttributes = map[int32]int32{
	abi.AttributeMaxThreadsPerBlock: 1024, maxBlock: 1024, maxBlock + 1: 1024, maxBlock + 2: 64, maxGrid: 1<<31 - 1, maxGrid + 1: 1<<16 - 1, maxGrid + 2: 1<<16 - 1,
	abi.AttributeMaxSharedPerBlock: 48 << 10, abi.AttributeMaxSharedPerBlockOptin: 227 << 10, abi.AttributeMaxSharedPerSM: 228 << 10,
	abi.AttributeMaxThreadsPerSM: 2048, abi.AttributeMaxBlocksPerSM: 32, warpSize: 32, clockRate: 1_500_000, memoryClockRate: 2_600_000, memoryBusWidth: 5120, l2CacheSize: 50 << 20,
	abi.AttributeMultiprocessorCount: 132, abi.AttributeCanMapHostMemory: 1, abi.AttributeUnifiedAddressing: 1,
	abi.AttributeComputeCapabilityMajor: 9, abi.AttributeManagedMemory: 1, abi.AttributeConcurrentManagedAccess: 1,
	abi.AttributeVirtualMemoryManagement: 1, abi.AttributeHandleTypePosixFD: shareable, abi.AttributeVirtualMemoryRDMA: 1, abi.AttributeSparseArray: 1,
	abi.AttributeMemoryPools: 1, abi.AttributePoolHandleTypes: shareable * abi.HandleFD, abi.AttributeDeferredMappingArray: 1,
	abi.AttributeHostMemoryPools: 1, abi.AttributeHostNUMAMemoryPools: 1,
}

// resetDevices makes the devices, and the contexts of those whose context is retained.
func (d *Driver) resetDevices() {
	for i := range d.cfg.Devices {
		dev := &device{ordinal: i, capacity: d.cfg.Capacity, attributes: maps.Clone(defaultAttributes)}
		maps.Copy(dev.attributes, d.cfg.Attributes)
		dev.home = d.newPool(defaultPool(i), dev, abi.PoolProps{Type: abi.AllocationPinned, Location: abi.LocationDevice, ID: int32(i)})
		dev.pool = dev.home
		d.devices = append(d.devices, dev)
	}
	d.contexts = make([]*context, len(d.devices))
	for i, dev := range d.devices {
		if d.retained[i] > 0 {
			d.contexts[i] = d.newPrimary(dev)
		}
	}
}

// device returns a device by its ordinal.
func (d *Driver) device(dev int) (*device, abi.Result) {
	if dev < 0 || dev >= len(d.devices) {
		return nil, abi.InvalidDevice
	}
	return d.devices[dev], abi.Success
}

// beginOn is begin for a function that needs a device.
func (d *Driver) beginOn(function string, dev int) (*device, abi.Result) {
	if r := d.begin(function); r != abi.Success {
		return nil, r
	}
	return d.device(dev)
}

// SetAttribute sets an attribute of a device; with 0, the feature stops working.
func (d *Driver) SetAttribute(dev int, attribute, value int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, r := d.device(dev); r == abi.Success {
		at.attributes[attribute] = value
	}
}

// DeviceGetCount returns the number of devices.
func (d *Driver) DeviceGetCount() (int, abi.Result) {
	r := d.begin("cuDeviceGetCount")
	defer d.mu.Unlock()
	return len(d.devices), r
}

// DeviceGetName returns an invented name.
func (d *Driver) DeviceGetName(dev int) (string, abi.Result) {
	_, r := d.beginOn("cuDeviceGetName", dev)
	defer d.mu.Unlock()
	return fmt.Sprintf("Simulated Device %d", dev), r
}

// DeviceGetUUID returns an identity that differs between devices and stays the same.
func (d *Driver) DeviceGetUUID(dev int) ([16]byte, abi.Result) {
	_, r := d.beginOn("cuDeviceGetUuid", dev)
	defer d.mu.Unlock()
	id := [16]byte([]byte("simulated device"))
	id[15] = byte(dev)
	return id, r
}

// DeviceTotalMem returns the capacity in bytes.
func (d *Driver) DeviceTotalMem(dev int) (uint64, abi.Result) {
	at, r := d.beginOn("cuDeviceTotalMem", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	return at.capacity, r
}

// DeviceGetAttribute returns the value of an attribute, 0 for those that the simulator does not know.
func (d *Driver) DeviceGetAttribute(dev int, attribute int32) (int32, abi.Result) {
	at, r := d.beginOn("cuDeviceGetAttribute", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	if attribute <= 0 {
		return 0, abi.InvalidValue
	}
	return at.attributes[attribute], r
}

// DeviceCanAccessPeer reports whether a device can access the memory of another one. A device is never its own peer.
func (d *Driver) DeviceCanAccessPeer(dev, peer int) (bool, abi.Result) {
	_, r := d.beginOn("cuDeviceCanAccessPeer", dev)
	defer d.mu.Unlock()
	if r == abi.Success {
		_, r = d.device(peer)
	}
	return r == abi.Success && d.peers(dev, peer), r
}

func (d *Driver) peers(dev, peer int) bool { return dev != peer && !d.cfg.NoPeers }

// reserve takes physical memory of a device.
func (dev *device) reserve(bytes uint64) bool {
	if bytes > dev.capacity || dev.used > dev.capacity-bytes {
		return false
	}
	dev.used += bytes
	return true
}
