package cuda

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Kind is one way to get chunks from the driver. A program links those that its pools may use.
type Kind interface {
	named() string // as in pool files
	bind(Allocator, site, poolimpl.Binding) (poolimpl.Bound, error)
}

type bindFunc func(Allocator, site, poolimpl.Binding) (poolimpl.Bound, error)

// The kinds.
type (
	PinnedMemory  struct{} // allocator pinned
	ManagedMemory struct{} // managed
	DeviceMemory  struct{} // device
	AsyncMemory   struct{} // device_async
	PoolMemory    struct{} // device_pool
	VirtualMemory struct{} // device_virtual
	TileMemory    struct{} // texture_tile
)

func (PinnedMemory) named() string  { return "pinned" }
func (ManagedMemory) named() string { return "managed" }
func (DeviceMemory) named() string  { return "device" }
func (AsyncMemory) named() string   { return "device_async" }
func (PoolMemory) named() string    { return "device_pool" }
func (VirtualMemory) named() string { return "device_virtual" }
func (TileMemory) named() string    { return "texture_tile" }

// kind is what is to be known of a kind before a pool uses it.
type kind struct {
	attribute int32 // of a device on which it works; 0: any
	what      string
	addressed bool // the chunks have addresses that streams can use
	onDevice  bool // Go code cannot access the chunks, so the device clears them
}

// works returns why an allocator does not work on a device.
func (a kind) works(at site) error {
	if a.attribute == 0 {
		return nil
	}
	v, err := at.dev.Attribute(Attribute(a.attribute))
	if err != nil {
		return err
	}
	if v == 0 {
		return fmt.Errorf("%w: device %d has no %s", poolrt.ErrUnsupported, at.dev, a.what)
	}
	return nil
}

// kindOf returns a kind by its name in pool files.
func kindOf(name string) (a kind, err error) {
	switch name {
	case "pinned":
		a = kind{addressed: true}
	case "managed":
		a = kind{abi.AttributeManagedMemory, "managed memory", true, false}
	case "device":
		a = kind{addressed: true, onDevice: true}
	case "device_async", "device_pool":
		a = kind{abi.AttributeMemoryPools, "memory pools", true, true}
	case "device_virtual":
		a = kind{abi.AttributeVirtualMemoryManagement, "virtual memory management", true, true}
	case "texture_tile":
		a = kind{abi.AttributeSparseArray, "sparse arrays", false, false}
	default:
		err = fmt.Errorf("%w: allocator %q", poolrt.ErrUnsupported, name)
	}
	return a, err
}
