//go:build cudasim

package sim

import "github.com/poolgen/poolgen/cuda/internal/simulator"

// Launch is one launch of a kernel: its dimensions, its parameters, and access to device memory.
type Launch = simulator.Launch

// MemoryUse is memory that a launch reads or, with Write, writes.
type MemoryUse = simulator.Use

// Kernel registers a Go function as a kernel under a name, for all modules: Kernel of any loaded image finds it by the name. The function
// does the work of the whole grid, when the launch runs, and must not call the driver.
func Kernel(name string, run func(*Launch)) { KernelUsing(name, run, nil) }

// KernelUsing is like Kernel, for a kernel that declares at the time of the launch what memory it will use, for the checker of hazards.
func KernelUsing(name string, run func(*Launch), uses func(*Launch) []MemoryUse) {
	simulator.Default().Kernel(name, simulator.Kernel{Run: run, Uses: uses})
}

// Global registers a variable of a size in bytes under a name, for all modules: Global of any loaded image finds it by the name. Each module has a
// variable of its own, which is zero at first.
func Global(name string, bytes int64) { simulator.Default().Global(name, uint64(bytes)) }
