package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// reasons say why a driver cannot be used, and what to check. They are for people who run a program, not for its authors. The table also has the
// names of the results, because a driver that does not start cannot return them.
var reasons = map[Result]struct{ name, text string }{
	ResultNoLibrary: {"no driver library",
		"install the NVIDIA driver, or start the container with it"},
	ResultNoFunction: {"function missing in the driver library",
		"the driver is too old: update it"},
	ResultNoCgo: {"built without a driver",
		"build it for Linux on amd64 or arm64, with CGO_ENABLED=1 and a C compiler, or with the tag poolgen_purego"},
	Result(abi.StubLibrary): {"CUDA_ERROR_STUB_LIBRARY",
		"this is the toolkit's stub for linking, not a driver: take its directory out of the library path"},
	Result(abi.DeviceUnavailable): {"CUDA_ERROR_DEVICE_UNAVAILABLE",
		"the device is in use by another process in exclusive mode, or cannot be reached"},
	ResultNoDevice: {"CUDA_ERROR_NO_DEVICE",
		"the driver found no CUDA device: none is there, CUDA_VISIBLE_DEVICES hides them, or the container was given none"},
	ResultInvalidDevice: {"CUDA_ERROR_INVALID_DEVICE",
		"there is no device of that number, or the device is not usable with this driver"},
	Result(abi.OperatingSystem): {"CUDA_ERROR_OPERATING_SYSTEM",
		"the operating system refused the driver: its device files cannot be opened, often for lack of permission"},
	Result(abi.NotInitialized): {"CUDA_ERROR_NOT_INITIALIZED",
		"the driver was not initialised"},
	Result(abi.Deinitialized): {"CUDA_ERROR_DEINITIALIZED",
		"the driver is shutting down with the process"},
	Result(abi.SystemNotReady): {"CUDA_ERROR_SYSTEM_NOT_READY",
		"a service that the devices need is not running, such as the fabric manager"},
	Result(abi.SystemDriverMismatch): {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
		"the library and the kernel module of the driver have different versions: the machine wants a restart after an update"},
	Result(abi.CompatNotSupported): {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
		"the forward compatibility library does not support this device, or the kernel module is too old for it"},
	Result(abi.Unknown): {"CUDA_ERROR_UNKNOWN",
		"the driver failed for an unknown reason, often a kernel module that is not loaded or that lost its device"},
	Result(abi.UnsupportedPTXVersion): {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
		"the kernel was compiled for a newer driver than this one"},
	Result(abi.NoBinaryForGPU): {"CUDA_ERROR_NO_BINARY_FOR_GPU",
		"the module has no code for this device"},
}

// noDriver lists the results that mean that there is no driver to call, as opposed to a call that failed.
var noDriver = map[Result]bool{
	ResultNoLibrary:                  true,
	ResultNoCgo:                      true,
	Result(abi.StubLibrary):          true,
	ResultNoDevice:                   true,
	Result(abi.NotInitialized):       true,
	Result(abi.SystemNotReady):       true,
	Result(abi.SystemDriverMismatch): true,
	Result(abi.CompatNotSupported):   true,
}

// unsupported lists the results that mean that the device or the driver does not support an operation.
var unsupported = map[Result]bool{
	ResultNotSupported:                true,
	ResultNotPermitted:                true,
	ResultNoFunction:                  true,
	Result(abi.PeerAccessUnsupported): true,
}
