package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// The methods of this file make DriverBlocks a [SharedCore] and a [StreamCore] that has no chunks: the engine frees blocks through take.

// Need returns the size of the allocation for a request.
func (*DriverBlocks) Need(bytes, _ uint64) uint64 { return bytes }

// Add and Remove do nothing: there are no chunks.
func (*DriverBlocks) Add(uint32, uint64, uint64) {}
func (*DriverBlocks) Remove(uint32)              {}

// Used returns 0.
func (*DriverBlocks) Used(uint32) uint64 { return 0 }

// Evict reports true.
func (*DriverBlocks) Evict(uint32) bool { return true }

// Alloc and AllocAny find nothing: each block comes from the driver.
func (*DriverBlocks) Alloc(uint64, uint64) (uint32, uint64, bool)    { return 0, 0, false }
func (*DriverBlocks) AllocAny(uint64, uint64) (uint32, uint64, bool) { return 0, 0, false }

// Free, Undo and Defer know no block.
func (*DriverBlocks) Free(uint64, uint64) (uint32, Verdict) { return 0, Foreign }
func (*DriverBlocks) Undo(uint64, uint64) (uint32, Verdict) { return 0, Foreign }
func (*DriverBlocks) Defer(uint64, uint64) Verdict          { return Foreign }

// Reuse and Reclaim are never called: no block is pending.
func (*DriverBlocks) Reuse(uint64, uint64) (uint32, uint64)    { return 0, 0 }
func (*DriverBlocks) Reclaim(uint64, uint64) (uint32, Verdict) { return 0, Foreign }

// Steal and Flush report false.
func (*DriverBlocks) Steal() bool { return false }
func (*DriverBlocks) Flush() bool { return false }

// Walk sees nothing.
func (*DriverBlocks) Walk(uint32, uint64, func(poolrt.Piece) bool) {}
