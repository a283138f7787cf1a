package cuda

import (
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Module is a set of kernels that is loaded on a device.
type Module struct {
	handle uintptr
	device Device
}

// Kernel is a function that runs on the device.
type Kernel struct {
	handle uintptr
	device Device
	name   string
}

// LoadModule loads kernels: PTX, which the driver compiles in some milliseconds to seconds, or a binary that was compiled for the
// device. The error of PTX that does not compile has the compiler's log in Detail.
func (d Device) LoadModule(image []byte) (Module, error) {
	const op = "ModuleLoadData"
	if len(image) == 0 {
		return Module{}, refuse(op, d, 0, "the image is empty")
	}
	t, ctx, err := d.table()
	if err != nil {
		return Module{}, err
	}
	m, log, r := t.ModuleLoadData(ctx, image)
	if r != abi.Success {
		return Module{}, failure(r, op, d, 0, log)
	}
	return Module{uintptr(m), d}, nil
}

// Kernel returns a kernel by its name in the module; C++ mangles names that are not extern "C".
func (m Module) Kernel(name string) (Kernel, error) {
	const op = "ModuleGetFunction"
	t, ctx, err := m.named(op, name)
	if err != nil {
		return Kernel{}, err
	}
	f, r := t.ModuleGetFunction(ctx, abi.Module(m.handle), name)
	if r != abi.Success {
		return Kernel{}, failure(r, op, m.device, 0, name)
	}
	return Kernel{uintptr(f), m.device, name}, nil
}

// Global returns the address and the size in bytes of a variable of the module by its name, such as a __device__ or __constant__ variable of
// CUDA C++; C++ mangles names that are not extern "C". The address is valid until the module is closed.
func (m Module) Global(name string) (DevicePtr, int64, error) {
	const op = "ModuleGetGlobal"
	t, ctx, err := m.named(op, name)
	if err != nil {
		return 0, 0, err
	}
	p, bytes, r := t.ModuleGetGlobal(ctx, abi.Module(m.handle), name)
	if r != abi.Success {
		return 0, 0, failure(r, op, m.device, 0, name)
	}
	return DevicePtr(p), int64(bytes), nil
}

// named returns the function table and the context for a call with a name, which C ends with a zero.
func (m Module) named(op, name string) (abi.Driver, abi.Context, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return nil, 0, refuse(op, m.device, 0, fmt.Sprintf("%q is no name", name))
	}
	return m.device.table()
}

// Close unloads the module and its kernels. Launches under way must be done.
func (m Module) Close() error {
	t, ctx, err := m.device.table()
	if err != nil {
		return err
	}
	return check(t.ModuleUnload(ctx, abi.Module(m.handle)), "ModuleUnload", m.device, 0)
}

// Config is the shape of a launch. A number that is 0 counts as 1, except Shared.
type Config struct {
	Grid   [3]uint32 // blocks
	Block  [3]uint32 // threads of a block, 1024 at most
	Shared uint32    // bytes of shared memory per block besides what the kernel declares; above 48 KiB see KernelMaxDynamicBytes
	Stream Stream    // of the kernel's device
}

// Launch queues the kernel on a stream. There must be as many arguments as the kernel declares, each of the size that it declares: this cannot be
// checked. An argument is an integer, a float, a bool, a [DevicePtr], or an array or struct of such; an int has 8 bytes, so write int32(n) for the
// int of C. They are copied before Launch returns. Later calls report errors of the kernel.
func (k Kernel) Launch(c Config, args ...any) error {
	const op = "LaunchKernel"
	t, ctx, err := k.device.table()
	if err != nil {
		return err
	}
	if c.Stream.device != k.device {
		return failure(abi.InvalidHandle, op, k.device, 0, k.name+": the stream is of "+c.Stream.device.String())
	}
	params := make([][]byte, len(args))
	for i, a := range args {
		if params[i], err = argument(a); err != nil {
			return refuse(op, k.device, 0, fmt.Sprintf("%s: argument %d: %v", k.name, i, err))
		}
	}
	r := t.LaunchKernel(ctx, abi.Function(k.handle), atLeastOne(c.Grid), atLeastOne(c.Block), c.Shared, abi.Stream(c.Stream.handle), params)
	return k.check(r, op)
}

func atLeastOne(n [3]uint32) [3]uint32 {
	for i := range n {
		n[i] = max(n[i], 1)
	}
	return n
}
