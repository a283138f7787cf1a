package cuda

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// ContextFlags are the flags of a primary context, by the driver's numbers (CUctx_flags).
type ContextFlags uint32

// How a thread waits in calls such as [Stream.Synchronize]. Only one of these can be set.
const (
	ScheduleAuto         = ContextFlags(abi.ContextSchedAuto)         // the driver chooses between spinning and yielding
	ScheduleSpin         = ContextFlags(abi.ContextSchedSpin)         // the thread spins: the shortest wait, and it occupies a core
	ScheduleYield        = ContextFlags(abi.ContextSchedYield)        // the thread lets others run between its queries
	ScheduleBlockingSync = ContextFlags(abi.ContextSchedBlockingSync) // the thread sleeps
)

// SetPrimaryContextFlags replaces the flags of the device's primary context, for the whole process. Call it before anything else uses the device:
// whether a context that exists takes over new flags depends on the driver. With a driver before CUDA 11 the error matches poolrt.ErrUnsupported.
func (d Device) SetPrimaryContextFlags(f ContextFlags) error {
	if err := Probe(); err != nil {
		return err
	}
	return check(driver.Table().DevicePrimaryCtxSetFlags(int(d), uint32(f)), "DevicePrimaryCtxSetFlags", d, 0)
}

// PrimaryContextState returns the flags of the device's primary context, and whether the context exists. It does not create the context.
func (d Device) PrimaryContextState() (f ContextFlags, active bool, err error) {
	if err := Probe(); err != nil {
		return 0, false, err
	}
	flags, active, r := driver.Table().DevicePrimaryCtxGetState(int(d))
	return ContextFlags(flags), active, check(r, "DevicePrimaryCtxGetState", d, 0)
}
