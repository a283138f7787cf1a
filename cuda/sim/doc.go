// Package sim controls the simulated CUDA driver that programs get when they are built with the tag cudasim:
//
//	go test -tags cudasim ./...
//
// Package cuda then works without a GPU, without the driver and without cgo, on devices that are plain Go: memory, streams, events,
// graphs, memory pools, virtual memory and sparse arrays behave as the driver documents them, as deterministic as the program that calls
// them. Without the tag this package is empty, so files that use it need the line
//
//	//go:build cudasim
//
// A test chooses a machine, provokes what a GPU does once a year, and looks at what is left over:
//
//	func TestUpload(t *testing.T) {
//		sim.Reset(sim.Config{Devices: 1, Capacity: 64 << 20, Schedule: 42})
//		sim.CheckHazards()
//		sim.Fail("cuMemAlloc", 3, 2) // the third allocation from now on: out of memory
//
//		upload(t) // what is tested
//
//		for _, f := range sim.Findings() {
//			t.Error(f) // two uses of memory that nothing orders, with the history of both; what was made and not released, with the line that made it
//		}
//	}
//
// # Streams
//
// With the seed of a schedule in the configuration, each call of the driver lets some queued operations run, in an order that the seed
// decides; waiting runs what is waited for. Without one nothing runs by itself: [Step] runs one operation, [Run] a stream, [RunAll] all.
// A loop that polls a stream or an event needs a schedule, or never ends.
//
// # Memory
//
// Device addresses are numbers far outside of what a program can access, so that using one on the host by mistake faults. Fresh memory is
// full of 0xCD. Memory of a device takes memory of this machine only where it is written, so a device may have 140 GB. Memory that is
// freed while queued work still uses it makes that work fail with an illegal address, which spoils the whole context, as on a GPU.
//
// # Hazards
//
// The checker keeps vector clocks over streams, events, graphs and the host, and reports each two uses of the same bytes, one of them a
// write, that nothing orders: a missing wait is found in one run, whatever the schedule happened to do. Copies, fills and the driver's pools
// are known to it; kernels as far as [KernelUsing] says what they use; everything else through [Use]. [HandOut] and [TakeBack] tell it about
// the blocks of a pool: a block that is handed to a stream before its last use elsewhere is ordered is reported, and so are
// blocks that two have at once. The host counts as one: what one thread has waited for, all have.
//
// # What differs from a GPU
//
// Time: each operation takes a microsecond. Kernels are Go functions, registered by [Kernel]. Asynchronous copies read and write host
// memory when they run, even where the driver would stage them. Allocations of the driver's pools cannot be captured. Memory can be
// shared by file descriptors on Linux only, and the checker does not see what other processes do with it.
package sim
