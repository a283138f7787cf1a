package cuda

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// registered are the slices that RegisterHost has registered, by address. The garbage collector keeps their memory.
var registered struct {
	mu   sync.Mutex
	pins map[unsafe.Pointer]*runtime.Pinner
}

// RegisterHost page-locks memory that the program already has, of the Go heap or not. Until [Device.UnregisterHost], asynchronous copies of the memory do not
// wait, all devices can access it, at the address that [Device.HostAddress] returns, and the garbage collector does not free it. Memory
// on a goroutine's stack moves to the heap by this. The memory must hold no Go pointers.
//
// RegisterHost takes about as long as [Device.AllocHost]. The driver locks whole pages, so registered slices should be large. Memory of which a
// part is already registered or page-locked is refused by the driver.
func (d Device) RegisterHost(b []byte) error {
	const op = "MemHostRegister"
	t, ctx, err := d.sized(op, int64(len(b)))
	if err != nil {
		return err
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	pin := new(runtime.Pinner)
	pin.Pin(p)
	registered.mu.Lock()
	defer registered.mu.Unlock()
	r := t.MemHostRegister(ctx, p, uint64(len(b)), abi.HostPortable|abi.HostDeviceMap)
	if r != abi.Success {
		pin.Unpin()
		return failure(r, op, d, int64(len(b)), "")
	}
	if registered.pins == nil {
		registered.pins = map[unsafe.Pointer]*runtime.Pinner{}
	}
	registered.pins[p] = pin
	return nil
}

// UnregisterHost undoes [Device.RegisterHost] for the same slice. No copy or kernel may be using the memory. An empty slice is ignored.
func (d Device) UnregisterHost(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	t, ctx, err := d.table()
	if err != nil {
		return err
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	registered.mu.Lock()
	defer registered.mu.Unlock()
	if r := t.MemHostUnregister(ctx, p); r != abi.Success {
		return failure(r, "MemHostUnregister", d, int64(len(b)), "")
	}
	if pin := registered.pins[p]; pin != nil {
		delete(registered.pins, p)
		pin.Unpin()
	}
	return nil
}
