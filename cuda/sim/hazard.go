//go:build cudasim

package sim

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator"
)

// Hazard is two uses of memory without the required order. String describes it.
type Hazard = simulator.Hazard

// Order is an order of operations: that of a stream, [On], or that of the program, [Host].
type Order struct {
	stream cuda.Stream
	queued bool
}

// Host is the order of the program itself.
func Host() Order { return Order{} }

// On is the order of a stream.
func On(s cuda.Stream) Order { return Order{s, true} }

// at returns the order as the simulator's arguments.
func (o Order) at() (abi.Context, abi.Stream) {
	if !o.queued {
		return 0, 0
	}
	return simulator.ContextOf(int(o.stream.Device())), abi.Stream(o.stream.Handle())
}

// CheckHazards switches the checker on, for later operations until Reset.
func CheckHazards() { simulator.Default().CheckHazards() }

// Hazards returns what the checker found, the oldest first and at most 100.
func Hazards() []Hazard { return simulator.Default().Hazards() }

// Use says that something that the simulator does not see reads or writes memory, at the current point of a stream or the program. It fails
// for memory or a stream that does not exist, and for streams that are capturing.
func Use(p cuda.DevicePtr, bytes int64, in Order, write bool) error {
	ctx, s := in.at()
	return failed("use", simulator.Default().Use(abi.Ptr(p), uint64(bytes), ctx, s, write))
}

// HandOut says that a pool hands out memory to a stream or to the program, which must be ordered after all uses of the memory so far. It
// fails like Use.
func HandOut(p cuda.DevicePtr, bytes int64, to Order) error {
	ctx, s := to.at()
	return failed("hand-out", simulator.Default().HandOut(abi.Ptr(p), uint64(bytes), ctx, s))
}

// TakeBack says that memory was freed to a pool: a stream or the program is done with it at its current point. It fails like Use.
func TakeBack(p cuda.DevicePtr, bytes int64, from Order) error {
	ctx, s := from.at()
	return failed("take-back", simulator.Default().TakeBack(abi.Ptr(p), uint64(bytes), ctx, s))
}

// failed returns the error of a result.
func failed(what string, r abi.Result) error {
	if r == abi.Success {
		return nil
	}
	return fmt.Errorf("sim: %s: %s", what, simulator.Default().GetErrorString(r))
}
