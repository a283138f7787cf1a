package simulator

import "sync"

// Config describes the simulated machine. The zero value is two devices of 16 GiB whose streams advance only when told.
type Config struct {
	Devices     int    // 0 is 2; negative is none at all
	Capacity    uint64 // memory of each device in bytes; 0 is 16 GiB. It costs nothing until it is written
	Granularity uint64 // of physical memory, and what pools reserve at a time, in bytes; 0 is 2 MiB
	Version     int    // of the driver; 0 is 13000
	// AddressSpace bounds the addresses that are reserved at a time, in bytes; 0 is 128 TiB.
	AddressSpace uint64
	// Schedule is the seed of a schedule: each call of the driver then runs a few queued operations, chosen at random among those
	// that may run. With 0, operations run only when told by Run, Step or RunAll, or when a call that waits needs them.
	Schedule uint64
	// Hazards switches the checker on: see [Driver.CheckHazards].
	Hazards bool
	// Fill is the byte that fills fresh device memory: 0 is 0xCD; negative is zero.
	Fill int
	// Recycle reuses the handle of an object, and the address of freed memory, for the next object of its kind, as drivers may. A
	// double release can then go unnoticed.
	Recycle bool
	// Touching leaves no gap between allocations, as the driver often does. The last byte of one and the first of the next are then neighbours.
	Touching bool
	// NoPeers makes devices unable to access each other's memory.
	NoPeers bool
	// Attributes are values that differ from the default, on all devices, by the driver's number of the attribute.
	Attributes map[int32]int32
	// Missing are functions that the library lacks, by their name in C without version suffix.
	Missing []string
}

// withDefaults returns the configuration with each 0 replaced by its meaning.
func (c Config) withDefaults() Config {
	if c.Devices == 0 {
		c.Devices = 2
	}
	c.Devices = max(c.Devices, 0)
	if c.Capacity == 0 {
		c.Capacity = 16 << 30
	}
	if c.Granularity == 0 {
		c.Granularity = 2 << 20
	}
	if c.AddressSpace == 0 {
		c.AddressSpace = 1 << 47
	}
	if c.Version == 0 {
		c.Version = 13000
	}
	if c.Fill == 0 {
		c.Fill = 0xCD
	}
	c.Fill = max(c.Fill, 0)
	return c
}

// Default returns the simulator of this process, which package cuda uses in builds with the tag cudasim. Its streams advance by a
// schedule with the seed 1.
func Default() *Driver { return process() }

var process = sync.OnceValue(func() *Driver { return New(Config{Schedule: 1}) })
