// Package sim controls the simulated CUDA driver of programs built with the tag cudasim:
//
//	go test -tags cudasim ./...
//
// Package cuda then works without a GPU, without the driver and without cgo, on devices written in Go: memory, streams, events,
// graphs, memory pools, virtual memory and sparse arrays behave as the driver documents them, and as deterministically as the program
// that calls them. Without the tag this package is empty, so files that use it need the line
//
//	//go:build cudasim
//
// A test chooses a machine, provokes rare failures of a GPU, and checks what remains:
//
//	func TestUpload(t *testing.T) {
//		sim.Reset(sim.Config{Devices: 1, Capacity: 64 << 20, Schedule: 42})
//		sim.CheckHazards()
//		sim.Fail("cuMemAlloc", 3, int(cuda.ResultOutOfMemory)) // the third allocation from now
//
//		upload(t) // what is tested
//
//		for _, f := range sim.Findings() {
//			t.Error(f) // two unordered uses of memory, with the history of both; what was not released, with the line that made it
//		}
//	}
//
// # Streams
//
// If the configuration has the seed of a schedule, each call of the driver lets some queued operations run, in an order that the seed
// decides; waiting runs what is waited for. Without a seed no operation runs by itself: [Step] runs one operation, [Run] a stream,
// [RunAll] all. A loop that polls a stream or an event never ends without a schedule.
//
// With [Latency], work takes a number of the program's own events, which [Tick] counts: streams are then busy, in the same way in each run.
//
// # Memory
//
// Device addresses are numbers far outside what a program can access, so using one on the host by mistake faults. Fresh memory is
// filled with 0xCD. Device memory takes host memory only where it is written, so a device may have 140 GB. If memory is freed while
// queued work still uses it, that work fails with an illegal address and corrupts the whole context, as on a GPU.
//
// # Hazards
//
// The checker keeps vector clocks over streams, events, graphs and the host, and reports any two uses of the same bytes, one of them a
// write, that nothing orders: one run finds a missing wait under any schedule. It sees copies, fills and the driver's pools, kernels
// registered with [KernelUsing], and everything else through [Use]. [HandOut] and [TakeBack] tell it about the blocks of a pool: it
// reports a block that is handed out to a stream before its last use elsewhere is ordered, and a block that has two owners at once.
// All threads of the host count as one: if one thread has waited for something, all have.
//
// # What differs from a GPU
//
// Time: each operation takes a microsecond. Kernels are Go functions, registered by [Kernel]. Asynchronous copies read and write host
// memory when they run, even where the driver would stage them. Host functions run in a call of the driver that reaches them, so they must not wait for
// goroutines that call it; a program that waits for one outside the driver has to let the streams run. Occupancy does not count registers. Flags of
// contexts have no effect. Allocations of the driver's pools cannot be captured. Memory can be
// shared by file descriptors on Linux only, and the checker does not see what other processes do with it.
package sim
