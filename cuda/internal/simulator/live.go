package simulator

import (
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Kind is a kind of object that the simulator counts.
type Kind string

// The kinds of objects.
const (
	KindStream  Kind = "stream"
	KindEvent   Kind = "event"
	KindMemory  Kind = "device memory"   // of cuMemAlloc
	KindManaged Kind = "managed memory"  // of cuMemAllocManaged
	KindHost    Kind = "host memory"     // of cuMemHostAlloc
	KindBlock   Kind = "pool memory"     // of cuMemAllocAsync, cuMemAllocFromPoolAsync and cuMemPoolImportPointer
	KindPool    Kind = "pool"            // default pools do not count
	KindRange   Kind = "address range"   // of cuMemAddressReserve
	KindHandle  Kind = "physical memory" // of cuMemCreate and cuMemImportFromShareableHandle
	KindMapping Kind = "mapping"         // of cuMemMap
	KindArray   Kind = "array"           //
	KindMipmap  Kind = "mipmapped array" //
	KindModule  Kind = "module"          //
	KindGraph   Kind = "graph"           //

	KindGraphExec  Kind = "instantiated graph"
	KindRegistered Kind = "registered memory" // of cuMemHostRegister
	KindUserObject Kind = "user object"

	KindComm  Kind = "communicator"           // a rank of one, of ncclCommInitRank
	KindKnown Kind = "memory that NCCL knows" // of ncclCommRegister
)

// birth is the record of a live object.
type birth struct {
	order uint64
	bytes uint64
	where string
}

// objects are the live ones by kind and handle, or address.
type objects struct {
	live  map[Kind]map[uint64]birth
	spare map[Kind][]uint64 // handles to be used again, with Recycle
	bad   []string          // releases of objects that were not live
}

func newObjects() objects {
	return objects{live: map[Kind]map[uint64]birth{}, spare: map[Kind][]uint64{}}
}

// handle returns a handle for a new object.
func (d *Driver) handle(k Kind) uint64 {
	if spare := d.spare[k]; len(spare) > 0 {
		d.spare[k] = spare[:len(spare)-1]
		return spare[len(spare)-1]
	}
	return 0x5_0000_0000 + d.number()<<4
}

// born counts an object as live.
func (d *Driver) born(k Kind, handle, bytes uint64) {
	if d.live[k] == nil {
		d.live[k] = map[uint64]birth{}
	}
	d.live[k][handle] = birth{order: d.number(), bytes: bytes, where: caller()}
}

// died counts an object as released.
func (d *Driver) died(k Kind, handle uint64) {
	delete(d.live[k], handle)
	d.spareHandle(k, handle)
}

// spareHandle lets a new object have a handle.
func (d *Driver) spareHandle(k Kind, handle uint64) {
	if d.cfg.Recycle {
		d.spare[k] = append(d.spare[k], handle)
	}
}

// badRelease notes the release of something that is not live: it was released before, or never existed.
func (d *Driver) badRelease(function string, handle uint64) {
	d.bad = append(d.bad, fmt.Sprintf("%s of %#x at %s", function, handle, caller()))
}

// Live returns how many objects of each kind are live. Kinds with none are left out, and so are contexts and default pools, which
// live as long as the process.
func (d *Driver) Live() map[Kind]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.disownDone()
	counts := map[Kind]int{}
	for k, live := range d.live {
		if len(live) > 0 {
			counts[k] = len(live)
		}
	}
	return counts
}

// BadReleases returns a line for each release of something that was not live: a double release, or one of an object that never existed.
func (d *Driver) BadReleases() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.bad)
}

// Leaks returns a line for each live object, in the order of their creation, with the place in the program that made it.
func (d *Driver) Leaks() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.disownDone()
	lines := map[uint64]string{}
	for kind, live := range d.live {
		for handle, b := range live {
			size := ""
			if b.bytes > 0 {
				size = fmt.Sprintf(" of %d bytes", b.bytes)
			}
			lines[b.order] = fmt.Sprintf("%s %#x%s, made at %s", kind, handle, size, b.where)
		}
	}
	sorted := []string(nil)
	for _, order := range slices.Sorted(maps.Keys(lines)) {
		sorted = append(sorted, lines[order])
	}
	return sorted
}

// caller returns the innermost place in the program that is neither in the simulator nor in package cuda; tests of those count.
func caller() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		ours := strings.Contains(f.Function, "/poolgen/cuda.") || strings.Contains(f.Function, "/poolgen/cuda/")
		if !ours || strings.HasSuffix(f.File, "_test.go") || !more {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
	}
}
