package cuda

import (
	"runtime"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// currentContext returns the context that is current on the calling thread, and its device. Without a context, or with one that was destroyed, it
// returns 0 and device 0.
func currentContext() (abi.Context, Device, error) {
	if err := Probe(); err != nil {
		return 0, 0, err
	}
	t := driver.Table()
	runtime.LockOSThread() // for both calls
	defer runtime.UnlockOSThread()
	c, r := t.CtxGetCurrent()
	if r != abi.Success || c == 0 {
		return 0, 0, check(r, "CtxGetCurrent", nowhere, 0) // querying the device of no context would be an error, which tools report
	}
	if d, ok := retained.device(c); ok {
		return c, d, nil
	}
	n, r := t.CtxGetDevice()
	if r == abi.InvalidContext || r == abi.ContextIsDestroyed {
		return 0, 0, nil
	}
	return c, Device(n), check(r, "CtxGetDevice", nowhere, 0)
}

// currentPrimary returns the device whose primary context is current on the calling thread, device 0 without a context. It refuses any other context.
func currentPrimary() (Device, error) {
	c, d, err := currentContext()
	if err != nil || c == 0 {
		return 0, err
	}
	_, primary, err := d.table()
	if err != nil {
		return 0, err
	}
	if c != primary {
		return 0, foreignContext(d)
	}
	return d, nil
}

// foreignDevice stands for the device of a context that is not a primary one, or that the driver has not named. No device has this number.
const foreignDevice = AnyDevice + 1

// foreignContext returns the error of a call that depends on the current context, while that is not a primary one.
func foreignContext(d Device) error {
	return failure(abi.InvalidContext, "CtxGetCurrent", d, 0,
		"the current context is not the primary context of its device: make Device.PrimaryContext current, or name the device")
}
