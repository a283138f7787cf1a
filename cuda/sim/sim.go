//go:build cudasim

package sim

import (
	"slices"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator"
)

// Config describes the simulated machine; the zero value is two devices of 16 GiB whose streams advance only when told.
type Config = simulator.Config

// Kind is a kind of object that the simulator counts, such as KindStream.
type Kind = simulator.Kind

// The kinds of objects that [Live] counts.
const (
	KindStream  = simulator.KindStream
	KindEvent   = simulator.KindEvent
	KindMemory  = simulator.KindMemory
	KindManaged = simulator.KindManaged
	KindHost    = simulator.KindHost
	KindBlock   = simulator.KindBlock
	KindPool    = simulator.KindPool
	KindRange   = simulator.KindRange
	KindHandle  = simulator.KindHandle
	KindMapping = simulator.KindMapping
	KindArray   = simulator.KindArray
	KindMipmap  = simulator.KindMipmap
	KindModule  = simulator.KindModule
	KindGraph   = simulator.KindGraph

	KindGraphExec  = simulator.KindGraphExec
	KindRegistered = simulator.KindRegistered

	KindComm  = simulator.KindComm
	KindKnown = simulator.KindKnown
)

// Reset starts over with another machine: everything that was live is gone, counts are 0, no fault is pending and no kernel is registered.
// That includes the chunks of pools: trim or close pools first, because the blocks that they would hand out afterwards have no memory.
// Contexts of devices that still exist stay valid.
func Reset(cfg Config) { simulator.Default().Reset(cfg) }

// Schedule lets streams advance by a schedule with a seed from now on; with 0, only when told.
func Schedule(seed uint64) { simulator.Default().Schedule(seed) }

// Latency makes work that is queued on streams from now on complete a number of events late: what is queued now is done when [Tick] has been called so
// often, or earlier if a call waits for it. Marks of events, and waits for them, are done with the work before them. So a program finds its streams busy, in
// the same way each time it runs. With 0 the schedule decides again, as it does at first and after Reset.
func Latency(events int) { simulator.Default().Latency(events) }

// Tick counts an event, for [Latency]. The program decides what its events are: requests, allocations, or rounds of a loop.
func Tick() { simulator.Default().Tick() }

// Work queues work on a stream that uses no memory: a stand-in for a kernel. It fails for a stream that does not exist.
func Work(s cuda.Stream) error { return failed("work", simulator.Default().Work(On(s).at())) }

// Step runs one operation that is queued on any stream and can run. It reports whether there was one.
func Step() bool { return simulator.Default().Step() }

// Run runs the work that is queued on a stream, and the work that it waits for. It fails for a stream that does not exist.
func Run(s cuda.Stream) error { return failed("run", simulator.Default().Run(On(s).at())) }

// RunAll runs all queued work.
func RunAll() { simulator.Default().RunAll() }

// Fail makes a call of a driver function, named as in C without version suffix, or of any function if the name is empty, fail with a code of
// the driver, such as int(cuda.ResultOutOfMemory): the nth from now, 1 being the next. The call has no other effect. With nth 0 each call fails from now on, until nth 0 and code 0.
func Fail(function string, nth, code int) { simulator.Default().Fail(function, nth, abi.Result(code)) }

// Calls returns how often a driver function, or any function if the name is empty, was called since the start or Reset, failed calls included.
func Calls(function string) int { return simulator.Default().Calls(function) }

// RemoveFunction makes the driver lack a function, as an older one would.
func RemoveFunction(function string) { simulator.Default().RemoveFunction(function) }

// SetAttribute sets an attribute of a device, by the driver's number. With 0, the feature stops working: memory pools (115), managed
// memory (83), virtual memory (102), sparse arrays (112), sharing (103, 119), pools in host memory (142, 144).
func SetAttribute(device int, attribute, value int32) {
	simulator.Default().SetAttribute(device, attribute, value)
}

// StallTransfer makes a transfer of package nccl never end unless a rank aborts: the nth that is begun from now on, 1 being the next.
func StallTransfer(nth int) { simulator.Default().StallTransfer(nth) }

// Live returns how many objects of each kind are live; kinds with none are left out, and so are contexts and default pools.
func Live() map[Kind]int { return simulator.Default().Live() }

// Findings returns a line for each finding that a test should end without: those of [Hazards], [Leaks] and [BadReleases].
func Findings() []string {
	var lines []string
	for _, h := range Hazards() {
		lines = append(lines, h.String())
	}
	return slices.Concat(lines, Leaks(), BadReleases())
}

// Leaks returns a line for each live object, the oldest first, with the place in the program that made it.
func Leaks() []string { return simulator.Default().Leaks() }

// BadReleases returns a line for each release of something that was not live: a double release, or one of an object that never existed.
func BadReleases() []string { return simulator.Default().BadReleases() }
