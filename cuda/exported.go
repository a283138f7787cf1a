package cuda

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// ExportedStream returns the stream that a program in another language means with the number of a device and a handle (CUstream or cudaStream_t). only
// is the device of the pool, -1 if it has one for each. Generated code calls it.
func ExportedStream(device int32, only int, handle uintptr) (Stream, error) {
	if only >= 0 && int(device) != only {
		return Stream{}, fmt.Errorf("%w %d: the pool is on device %d", poolimpl.ErrExportDevice, device, only)
	}
	s, err := exportedHandle(Device(device), handle)
	switch {
	case err == nil && s.device != Device(device):
		return s, fmt.Errorf("%w %d: the stream %#x is of %v", poolimpl.ErrExportStream, device, handle, s.device)
	case err == nil || errors.Is(err, poolrt.ErrNoDriver):
		return s, err
	case handle <= uintptr(abi.LegacyStream):
		return s, fmt.Errorf("%w %d: %w", poolimpl.ErrExportDevice, device, err)
	}
	return s, fmt.Errorf("%w %d: %#x: %w", poolimpl.ErrExportStream, device, handle, err)
}

// adoptedStreams are the streams that were adopted here, by handle.
var adoptedStreams struct {
	mu sync.Mutex
	of atomic.Pointer[map[uintptr]Stream]
}

// exportedHandle returns the stream of a handle. It asks the driver once for each.
func exportedHandle(d Device, handle uintptr) (Stream, error) {
	if handle <= uintptr(abi.LegacyStream) {
		return d.DefaultStream()
	}
	if m := adoptedStreams.of.Load(); m != nil {
		if s, ok := (*m)[handle]; ok {
			return s, nil
		}
	}
	s, err := AdoptStream(handle)
	if err != nil {
		return s, err
	}
	adoptedStreams.mu.Lock()
	defer adoptedStreams.mu.Unlock()
	m := map[uintptr]Stream{}
	if old := adoptedStreams.of.Load(); old != nil {
		m = maps.Clone(*old)
	}
	m[handle] = s
	adoptedStreams.of.Store(&m)
	return s, nil
}
