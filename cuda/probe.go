package cuda

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// Probe returns nil if there is a driver with a device that can be used, else an *[Error] that matches [poolrt.ErrNoDriver] and says
// why not: which library was looked for and what the loader said, or the driver's own reason in a sentence. The first call of
// this or any other function loads the driver, which takes up to a second; it does not touch a device. Later calls take under a
// microsecond.
func Probe() error {
	t := driver.Table()
	if s := t.Load(); s.Result != abi.Success {
		return &Error{Op: opInit, Code: Result(s.Result), Device: nowhere, Detail: loadDetail(s)}
	}
	n, r := t.DeviceGetCount()
	if r == abi.Success && n == 0 {
		r = abi.NoDevice
	}
	if r != abi.Success {
		return &Error{Op: opInit, Code: Result(r), Device: nowhere, Detail: t.Path()}
	}
	return nil
}

// loadDetail says which libraries were tried.
func loadDetail(s abi.Status) string {
	switch {
	case s.Path == "" || s.Result == abi.NoLibrary:
		return s.Message // which names the library
	case s.Result == abi.NoFunction:
		return fmt.Sprintf("%s has no %s", s.Path, s.Message)
	case s.Message == "":
		return s.Path
	default:
		return fmt.Sprintf("%s: %s", s.Path, s.Message)
	}
}

// DriverVersion returns the version of CUDA that the driver supports, 1000 times the major plus 10 times the minor version: 13000 is 13.0.
func DriverVersion() (int, error) {
	n, r := driver.Table().DriverGetVersion()
	return n, check(r, "DriverGetVersion", nowhere, 0)
}

// Backend returns how this program calls the driver, which the build decides: "cgo"; "purego", without cgo and with the tag poolgen_purego; "simulator",
// with the tag cudasim; "none", where every call returns an error that matches [poolrt.ErrNoDriver].
func Backend() string { return driver.Backend }

// LibraryPath returns the path of the driver's library as the loader found it, "simulator" for the simulator, and "" if there is none.
func LibraryPath() string { return driver.Table().Path() }

// Has reports whether the driver has a function, by its name in C without version suffix: "cuMemPoolCreate". A device may not support a function that the
// driver has: see [Device.Attribute].
func Has(function string) bool { return driver.Table().Has(function) }
