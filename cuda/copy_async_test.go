package cuda

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// answering is a driver that names a device for all memory.
type answering struct {
	abi.Driver
	device int
}

func (a answering) PointerGetDevice(abi.Ptr) (int, abi.Result) { return a.device, abi.Success }

// Memory stays in place only if it belongs to a device: the driver may answer for the Go heap, too, which does not stay in place.
func TestMemoryOfNoDeviceMayMove(t *testing.T) {
	for device, stays := range map[int]bool{0: true, 1: true, -1: false, -2: false} {
		drv := answering{abi.Absent(abi.Status{Result: abi.InvalidValue}), device}
		if got := staysPut(drv, 0, make([]byte, 1)); got != stays {
			t.Errorf("device %d: stays put is %v", device, got)
		}
	}
}
