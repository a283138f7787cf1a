package cuda

import (
	"math"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// MaxActiveBlocks returns how many blocks of the kernel a multiprocessor of the device can run at a time, for blocks of a number of threads with a
// number of bytes of dynamic shared memory. It is 0 if no such block can run. It takes microseconds and does not wait.
func (k Kernel) MaxActiveBlocks(threads int, shared int64) (int, error) {
	const op = "OccupancyMaxActiveBlocksPerMultiprocessor"
	t, ctx, err := k.device.table()
	if err != nil {
		return 0, err
	}
	if threads <= 0 || threads > math.MaxInt32 || shared < 0 {
		return 0, refuse(op, k.device, shared, k.name+": the number of threads must be above 0, and the size not below")
	}
	n, r := t.OccupancyMaxActiveBlocksPerMultiprocessor(ctx, abi.Function(k.handle), int32(threads), uint64(shared))
	return int(n), k.check(r, op)
}

// MaxPotentialBlockSize returns the number of threads of a block with which the most threads of the kernel run at a time, and the smallest number of
// blocks that then occupies the whole device. shared is the dynamic shared memory of a block in bytes. limit bounds the number of threads; 0 is the
// limit of the kernel. It takes microseconds and does not wait.
func (k Kernel) MaxPotentialBlockSize(shared int64, limit int) (minGrid, threads int, err error) {
	const op = "OccupancyMaxPotentialBlockSize"
	t, ctx, err := k.device.table()
	if err != nil {
		return 0, 0, err
	}
	if limit < 0 || limit > math.MaxInt32 || shared < 0 {
		return 0, 0, refuse(op, k.device, shared, k.name+": the limit and the size must not be below 0")
	}
	grid, block, r := t.OccupancyMaxPotentialBlockSize(ctx, abi.Function(k.handle), uint64(shared), int32(limit))
	return int(grid), int(block), k.check(r, op)
}
