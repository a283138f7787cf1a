package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// KernelAttribute is a property of a kernel, by the driver's number (CUfunction_attribute). Any attribute number of the driver is allowed.
type KernelAttribute int32

// Attributes of kernels. Only the last two can be set.
const (
	KernelMaxThreads      = KernelAttribute(abi.FuncMaxThreadsPerBlock) // of a block
	KernelSharedBytes     = KernelAttribute(abi.FuncSharedSizeBytes)    // shared memory of a block that the kernel declares
	KernelConstBytes      = KernelAttribute(abi.FuncConstSizeBytes)
	KernelLocalBytes      = KernelAttribute(abi.FuncLocalSizeBytes) // of a thread
	KernelRegisters       = KernelAttribute(abi.FuncNumRegs)        // of a thread
	KernelPTXVersion      = KernelAttribute(abi.FuncPTXVersion)     // 10 times the major plus the minor version
	KernelBinaryVersion   = KernelAttribute(abi.FuncBinaryVersion)  // likewise
	KernelMaxDynamicBytes = KernelAttribute(abi.FuncMaxDynamicSharedSizeBytes)
	KernelSharedCarveout  = KernelAttribute(abi.FuncPreferredSharedCarveout) // percentage of the L1 cache to use as shared memory; -1 is the driver's choice
)

// Attribute returns a property of the kernel.
func (k Kernel) Attribute(a KernelAttribute) (int, error) {
	t, ctx, err := k.device.table()
	if err != nil {
		return 0, err
	}
	v, r := t.FuncGetAttribute(ctx, abi.Function(k.handle), int32(a))
	return int(v), k.check(r, "FuncGetAttribute")
}

// SetAttribute sets a property of the kernel for later launches, by whoever launches it.
//
// [KernelMaxDynamicBytes] is the most that Config.Shared of a launch may be, in bytes: 48 KiB unless it is set, and as much as the device has for a
// block, which is its [MaxSharedPerBlockOptin], less what the kernel declares. A larger value has the error code [ResultInvalidValue].
func (k Kernel) SetAttribute(a KernelAttribute, value int) error {
	const op = "FuncSetAttribute"
	t, ctx, err := k.device.table()
	if err != nil {
		return err
	}
	if int(int32(value)) != value {
		return refuse(op, k.device, 0, k.name+": the value does not fit into 32 bits")
	}
	return k.check(t.FuncSetAttribute(ctx, abi.Function(k.handle), int32(a), int32(value)), op)
}

// check returns the error of a result of a call for the kernel, or nil.
func (k Kernel) check(r abi.Result, op string) error {
	if r == abi.Success {
		return nil
	}
	return failure(r, op, k.device, 0, k.name)
}
