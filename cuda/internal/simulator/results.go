package simulator

import (
	"strings"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Results that only the simulator returns by name.
const (
	captureMerge     = abi.Result(902)
	captureUnmatched = abi.Result(903)
	captureIsolation = abi.Result(905)
)

// GetErrorName returns the name of a result as in the driver's header, "" for a number that it does not know.
func (d *Driver) GetErrorName(r abi.Result) string {
	if name := resultNames[r]; name != "" {
		return "CUDA_ERROR_" + name
	}
	if r == abi.Success {
		return "CUDA_SUCCESS"
	}
	return ""
}

// GetErrorString returns the name of a result as words.
func (d *Driver) GetErrorString(r abi.Result) string {
	if r == abi.Success {
		return "no error"
	}
	return strings.ToLower(strings.ReplaceAll(resultNames[r], "_", " "))
}

var resultNames = map[abi.Result]string{
	1: "INVALID_VALUE", 2: "OUT_OF_MEMORY", 3: "NOT_INITIALIZED", 4: "DEINITIALIZED", 34: "STUB_LIBRARY", 46: "DEVICE_UNAVAILABLE",
	100: "NO_DEVICE", 101: "INVALID_DEVICE", 200: "INVALID_IMAGE", 201: "INVALID_CONTEXT", 205: "MAP_FAILED", 206: "UNMAP_FAILED",
	208: "ALREADY_MAPPED", 209: "NO_BINARY_FOR_GPU", 211: "NOT_MAPPED", 217: "PEER_ACCESS_UNSUPPORTED", 218: "INVALID_PTX",
	222: "UNSUPPORTED_PTX_VERSION", 304: "OPERATING_SYSTEM", 400: "INVALID_HANDLE", 401: "ILLEGAL_STATE", 500: "NOT_FOUND",
	600: "NOT_READY", 700: "ILLEGAL_ADDRESS", 701: "LAUNCH_OUT_OF_RESOURCES", 702: "LAUNCH_TIMEOUT",
	704: "PEER_ACCESS_ALREADY_ENABLED", 705: "PEER_ACCESS_NOT_ENABLED", 709: "CONTEXT_IS_DESTROYED", 712: "HOST_MEMORY_ALREADY_REGISTERED", 713: "HOST_MEMORY_NOT_REGISTERED", 719: "LAUNCH_FAILED",
	800: "NOT_PERMITTED", 801: "NOT_SUPPORTED", 802: "SYSTEM_NOT_READY", 803: "SYSTEM_DRIVER_MISMATCH",
	804: "COMPAT_NOT_SUPPORTED_ON_DEVICE", 900: "STREAM_CAPTURE_UNSUPPORTED", 901: "STREAM_CAPTURE_INVALIDATED",
	902: "STREAM_CAPTURE_MERGE", 903: "STREAM_CAPTURE_UNMATCHED", 904: "STREAM_CAPTURE_UNJOINED",
	905: "STREAM_CAPTURE_ISOLATION", 906: "STREAM_CAPTURE_IMPLICIT", 907: "CAPTURED_EVENT",
	908: "STREAM_CAPTURE_WRONG_THREAD", 999: "UNKNOWN",
}
