package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// reasons tell why a driver cannot be used, and what to look at. They are for people who run a program, not for those who wrote it.
var reasons = map[Result]string{
	ResultNoLibrary:                   "the CUDA driver's library could not be loaded: this machine has no NVIDIA driver, or the container was started without it",
	ResultNoFunction:                  "the CUDA driver's library lacks a function that is needed: the driver is too old",
	ResultNoCgo:                       "this program was built without cgo, or for a platform on which poolgen does not look for a driver",
	Result(abi.StubLibrary):           "the library that was found is the toolkit's stub for linking, not a driver: a stubs folder is in the library path",
	Result(abi.DeviceUnavailable):     "the device is in use by another process in exclusive mode, or cannot be reached",
	ResultNoDevice:                    "the driver found no CUDA device: none is there, CUDA_VISIBLE_DEVICES hides them, or the container was given none",
	ResultInvalidDevice:               "there is no device of that number, or the device is not usable with this driver",
	Result(abi.OperatingSystem):       "the operating system refused the driver: its device files cannot be opened, often for lack of permission",
	Result(abi.NotInitialized):        "the driver was not initialised",
	Result(abi.Deinitialized):         "the driver is shutting down with the process",
	Result(abi.SystemNotReady):        "a service that the devices need is not running, such as the fabric manager",
	Result(abi.SystemDriverMismatch):  "the library and the kernel module of the driver have different versions: the machine wants a restart after an update",
	Result(abi.CompatNotSupported):    "the forward compatibility library does not support this device, or the kernel module is too old for it",
	Result(abi.Unknown):               "the driver failed for an unknown reason, often a kernel module that is not loaded or that lost its device",
	Result(abi.UnsupportedPTXVersion): "the kernel was compiled for a newer driver than this one",
	Result(abi.NoBinaryForGPU):        "the module has no code for this device",
}

// noDriver are the results that mean that there is nothing to speak to, as opposed to a call that failed.
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
