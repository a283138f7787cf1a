package cuda

import (
	"errors"
	"fmt"

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
	s, err := StreamOf(Device(device), handle)
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
