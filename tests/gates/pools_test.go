package gates

import (
	"testing"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// module is the path of the module that pools are generated into.
const module = "example.com/gates"

// poolFile has a pool of every suballocator, with and without a lock, including combinations that the examples do not have.
const poolFile = `version: 1
package: pools
defaults: {concurrency: none, chunk_size: 1MiB}
pools:
  - {name: One, item: uint64, limit: 1MiB}
  - {name: Many, item: "[3]float32"}
  - {name: Zeroed, item: "[16]uint64", zero: always}
  - {name: Trimmed, item: uint64, trim: {keep: 0B}}
  - {name: Uncounted, item: uint64, stats: off}
  - {name: Number, allocator: none, suballocator: fixed}
  - {name: Heap, item: byte, suballocator: heap}
  - {name: First, item: byte, suballocator: heap, fit: first}
  - {name: Best, item: byte, suballocator: heap, fit: best}
  - {name: Binned, item: byte, suballocator: binned}
  - {name: Classes, item: byte, suballocator: classes}
  - {name: Ring, item: byte, suballocator: ring}
  - {name: Bump, item: byte, suballocator: bump}
  - {name: Direct, item: byte, suballocator: none}
  - {name: Guarded, item: "[3]float32", guard: {one_in: 5000}}
  - {name: LockedGuarded, item: "[3]float32", guard: {one_in: 5000}, concurrency: mutex}
  - {name: Profiled, item: "[3]float32", profile: true}
  - {name: LockedProfiled, item: "[3]float32", profile: true, concurrency: mutex}
  - {name: ProfiledHeap, item: byte, suballocator: heap, profile: true}
  - {name: GuardedHeap, item: byte, suballocator: heap, guard: {one_in: 5000}}
  - {name: LockedOne, item: uint64, limit: 1MiB, concurrency: mutex}
  - {name: LockedMany, item: "[3]float32", concurrency: mutex}
  - {name: LockedHeap, item: byte, suballocator: heap, concurrency: mutex}
  - {name: LockedRing, item: byte, suballocator: ring, concurrency: mutex}
  - {name: LockedBump, item: byte, suballocator: bump, concurrency: mutex}
  - {name: LockedBinned, item: byte, suballocator: binned, concurrency: mutex}
  - {name: Shared, item: "[3]int32", concurrency: sharded}
  - {name: Kept, item: "[64]byte", concurrency: sharded, magazine: 16}
`

// pools generates the pools of poolFile into a module of its own and returns its directory. The package is in the directory pools.
func pools(t *testing.T, more map[string]string) tempmod.Command {
	t.Helper()
	files := map[string]string{"pools/poolgen.yaml": poolFile}
	for name, text := range more {
		files[name] = text
	}
	return tempmod.Command{Dir: tempmod.Generated(t, module, files), Temporary: true}
}
