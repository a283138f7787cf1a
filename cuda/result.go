package cuda

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// Result is the result of a function of the driver (CUresult). The driver has more results than this package names.
// Negative ones are poolgen's own: there is no driver.
type Result int32

// Results that programs act on.
const (
	ResultInvalidValue             = Result(abi.InvalidValue)
	ResultOutOfMemory              = Result(abi.OutOfMemory)
	ResultNoDevice                 = Result(abi.NoDevice)
	ResultInvalidDevice            = Result(abi.InvalidDevice)
	ResultInvalidContext           = Result(abi.InvalidContext)
	ResultInvalidHandle            = Result(abi.InvalidHandle)
	ResultNotFound                 = Result(abi.NotFound)
	ResultNotReady                 = Result(abi.NotReady)
	ResultIllegalAddress           = Result(abi.IllegalAddress)
	ResultNotPermitted             = Result(abi.NotPermitted)
	ResultNotSupported             = Result(abi.NotSupported)
	ResultStreamCaptureUnsupported = Result(abi.StreamCaptureUnsupported)
	ResultStreamCaptureInvalidated = Result(abi.StreamCaptureInvalidated)
	ResultCapturedEvent            = Result(abi.CapturedEvent)
	ResultNoLibrary                = Result(abi.NoLibrary)
	ResultNoFunction               = Result(abi.NoFunction)
	ResultNoCgo                    = Result(abi.NoCgo)
)

// String returns the name of the constant in the driver's header, such as CUDA_ERROR_OUT_OF_MEMORY. Without a driver, it returns
// the number for most results.
func (r Result) String() string {
	if name := reasons[r].name; name != "" {
		return name
	}
	if name := driver.Table().GetErrorName(abi.Result(r)); name != "" {
		return name
	}
	return fmt.Sprintf("result %d", int32(r))
}

// Text describes the result in a sentence: poolgen's own if the user can do something about it, else the driver's. It may be empty.
func (r Result) Text() string {
	if text := reasons[r].text; text != "" {
		return text
	}
	return driver.Table().GetErrorString(abi.Result(r))
}
