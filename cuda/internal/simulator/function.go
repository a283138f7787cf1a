package simulator

import (
	"maps"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// function is a kernel of a module in a context.
type function struct {
	name       string
	ctx        *context
	attributes map[int32]int32
}

// unlimitedShared is the value of FuncMaxDynamicSharedSizeBytes of a kernel until the program sets it: the attribute of the device counts.
const unlimitedShared = -1

// functionAttributes are those of every kernel.
var functionAttributes = map[int32]int32{
	abi.FuncMaxThreadsPerBlock: 1024, abi.FuncSharedSizeBytes: 0, abi.FuncConstSizeBytes: 0, abi.FuncLocalSizeBytes: 0, abi.FuncNumRegs: 32,
	abi.FuncPTXVersion: 90, abi.FuncBinaryVersion: 90, 7: 0, abi.FuncMaxDynamicSharedSizeBytes: unlimitedShared, abi.FuncPreferredSharedCarveout: -1,
}

func newFunction(name string, c *context) *function {
	return &function{name: name, ctx: c, attributes: maps.Clone(functionAttributes)}
}

// maxShared returns how many bytes of shared memory a launch may give to a block.
func (f *function) maxShared() int32 {
	if n := f.attributes[abi.FuncMaxDynamicSharedSizeBytes]; n != unlimitedShared {
		return n
	}
	return f.ctx.dev.attributes[abi.AttributeMaxSharedPerBlock]
}

// beginFunction is begin for a function that gets a kernel.
func (d *Driver) beginFunction(what string, ctx abi.Context, h abi.Function) (*function, abi.Result) {
	c, r := d.beginIn(what, ctx)
	if r != abi.Success {
		return nil, r
	}
	f := d.functions[h]
	if f == nil || f.ctx != c {
		return nil, abi.InvalidHandle
	}
	return f, abi.Success
}

// FuncGetAttribute returns a property of a kernel.
func (d *Driver) FuncGetAttribute(ctx abi.Context, h abi.Function, attribute int32) (int32, abi.Result) {
	f, r := d.beginFunction("cuFuncGetAttribute", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	v, ok := f.attributes[attribute]
	switch {
	case !ok:
		return 0, abi.InvalidValue
	case attribute == abi.FuncMaxDynamicSharedSizeBytes:
		return f.maxShared(), abi.Success
	}
	return v, abi.Success
}

// FuncSetAttribute sets the shared memory that launches may have, or the preferred carveout.
func (d *Driver) FuncSetAttribute(ctx abi.Context, h abi.Function, attribute, value int32) abi.Result {
	f, r := d.beginFunction("cuFuncSetAttribute", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	most, least := int32(100), int32(-1)
	switch attribute {
	case abi.FuncMaxDynamicSharedSizeBytes:
		most, least = f.ctx.dev.attributes[abi.AttributeMaxSharedPerBlockOptin], 0
	case abi.FuncPreferredSharedCarveout:
	default:
		return abi.InvalidValue
	}
	if value < least || value > most {
		return abi.InvalidValue
	}
	f.attributes[attribute] = value
	return abi.Success
}

// blocks returns how many blocks of a size a multiprocessor runs at a time. Registers do not count.
func (f *function) blocks(block int32, shared uint64) int32 {
	a := f.ctx.dev.attributes
	if block > a[abi.AttributeMaxThreadsPerBlock] || shared > uint64(f.maxShared()) {
		return 0
	}
	warps := (block + a[warpSize] - 1) / a[warpSize]
	n := min(a[abi.AttributeMaxThreadsPerSM]/(warps*a[warpSize]), a[abi.AttributeMaxBlocksPerSM])
	if shared > 0 {
		n = min(n, int32(uint64(a[abi.AttributeMaxSharedPerSM])/shared))
	}
	return n
}

// OccupancyMaxActiveBlocksPerMultiprocessor returns how many blocks of a size a multiprocessor runs at a time.
func (d *Driver) OccupancyMaxActiveBlocksPerMultiprocessor(ctx abi.Context, h abi.Function, block int32, shared uint64) (int32, abi.Result) {
	f, r := d.beginFunction("cuOccupancyMaxActiveBlocksPerMultiprocessor", ctx, h)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return 0, r
	case block <= 0:
		return 0, abi.InvalidValue
	}
	return f.blocks(block, shared), abi.Success
}

// OccupancyMaxPotentialBlockSize returns the largest block size with which the most threads run at a time.
func (d *Driver) OccupancyMaxPotentialBlockSize(ctx abi.Context, h abi.Function, shared uint64, limit int32) (minGrid, block int32, _ abi.Result) {
	f, r := d.beginFunction("cuOccupancyMaxPotentialBlockSize", ctx, h)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return 0, 0, r
	case limit < 0:
		return 0, 0, abi.InvalidValue
	}
	a := f.ctx.dev.attributes
	if most := a[abi.AttributeMaxThreadsPerBlock]; limit == 0 || limit > most {
		limit = most
	}
	best := int32(0)
	for size := limit; size > 0; size -= a[warpSize] {
		if n := f.blocks(size, shared); n*size > best*block {
			best, block = n, size
		}
	}
	if block == 0 {
		return 0, 0, abi.InvalidValue
	}
	return best * a[abi.AttributeMultiprocessorCount], block, abi.Success
}
