package gates

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/large"
)

// allocsTest runs in the package of poolFile: every way to allocate and to free, once the pool is warm, without garbage.
const allocsTest = `package pools

import "testing"

// garbage demands that f, which frees what it takes, leaves nothing for the collector.
func garbage(t *testing.T, what string, f func() error) {
	t.Helper()
	fail := func(err error) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	for range 100 {
		fail(f())
	}
	if n := testing.AllocsPerRun(1000, func() { fail(f()) }); n != 0 {
		t.Errorf("%s: %v allocations", what, n)
	}
}

func items[R any](t *testing.T, name string, alloc func() (R, error), try func() (R, bool), free func(R) error,
	batch func([]R) (int, error), freeBatch func([]R) error) {
	garbage(t, name+": Alloc, Free", func() error {
		r, err := alloc()
		if err != nil {
			return err
		}
		return free(r)
	})
	garbage(t, name+": TryAlloc, Free", func() error {
		r, ok := try()
		if !ok {
			t.Fatalf("%s: TryAlloc", name)
		}
		return free(r)
	})
	dst := make([]R, 100)
	garbage(t, name+": batches", func() error {
		if _, err := batch(dst); err != nil {
			return err
		}
		return freeBatch(dst)
	})
}

func spans(t *testing.T, name string, alloc func(int) ([]byte, error), aligned func(int, int) ([]byte, error), free func([]byte) error) {
	live := make([][]byte, 0, 64)
	n := 1
	garbage(t, name+": Alloc, Free", func() error {
		for range 64 {
			n = n*5%6007 + 1 // the same sizes again and again
			s, err := alloc(n)
			if err != nil {
				return err
			}
			live = append(live, s)
		}
		for _, s := range live {
			if err := free(s); err != nil {
				return err
			}
		}
		live, n = live[:0], 1
		return nil
	})
	garbage(t, name+": AllocAligned, Free", func() error {
		s, err := aligned(100, 256)
		if err != nil {
			return err
		}
		return free(s)
	})
}

func TestItems(t *testing.T) {
	if err := TrackNumber(0, 1000); err != nil {
		t.Fatal(err)
	}
	items(t, "One", AllocOne, TryAllocOne, FreeOne, AllocOneBatch, FreeOneBatch)
	items(t, "Many", AllocMany, TryAllocMany, FreeMany, AllocManyBatch, FreeManyBatch)
	items(t, "Zeroed", AllocZeroed, TryAllocZeroed, FreeZeroed, AllocZeroedBatch, FreeZeroedBatch)
	items(t, "Uncounted", AllocUncounted, TryAllocUncounted, FreeUncounted, AllocUncountedBatch, FreeUncountedBatch)
	items(t, "Number", AllocNumber, TryAllocNumber, FreeNumber, AllocNumberBatch, FreeNumberBatch)
	items(t, "LockedOne", AllocLockedOne, TryAllocLockedOne, FreeLockedOne, AllocLockedOneBatch, FreeLockedOneBatch)
	items(t, "LockedMany", AllocLockedMany, TryAllocLockedMany, FreeLockedMany, AllocLockedManyBatch, FreeLockedManyBatch)

	// A pool that trims has to hold something, or each free gives its only chunk back.
	if _, err := AllocTrimmed(); err != nil {
		t.Fatal(err)
	}
	items(t, "Trimmed", AllocTrimmed, TryAllocTrimmed, FreeTrimmed, AllocTrimmedBatch, FreeTrimmedBatch)
}

func TestSpans(t *testing.T) {
	spans(t, "Heap", AllocHeap, AllocHeapAligned, FreeHeap)
	spans(t, "First", AllocFirst, AllocFirstAligned, FreeFirst)
	spans(t, "Best", AllocBest, AllocBestAligned, FreeBest)
	spans(t, "Binned", AllocBinned, AllocBinnedAligned, FreeBinned)
	spans(t, "Classes", AllocClasses, AllocClassesAligned, FreeClasses)
	spans(t, "Ring", AllocRing, AllocRingAligned, FreeRing)
	spans(t, "Direct", AllocDirect, AllocDirectAligned, FreeDirect)
	spans(t, "LockedHeap", AllocLockedHeap, AllocLockedHeapAligned, FreeLockedHeap)
	spans(t, "LockedRing", AllocLockedRing, AllocLockedRingAligned, FreeLockedRing)
}

func TestBump(t *testing.T) {
	garbage(t, "Bump: Alloc, Release", func() error {
		mark := DefaultBumpPool().Mark()
		for n := range 64 {
			if _, err := AllocBump(n + 1); err != nil {
				return err
			}
		}
		return DefaultBumpPool().Release(mark)
	})
	garbage(t, "LockedBump: Alloc, Reset", func() error {
		for n := range 64 {
			if _, err := AllocLockedBump(n + 1); err != nil {
				return err
			}
		}
		return DefaultLockedBumpPool().Reset()
	})
}
`

// wasteful is a fault that garbage must find.
const wasteful = `

var kept *int

func TestWasteful(t *testing.T) {
	garbage(t, "wasteful", func() error { kept = new(int); return nil })
}
`

// TestNoGarbage runs allocsTest, and once more with a planted fault.
func TestNoGarbage(t *testing.T) {
	large.Only(t)
	command := pools(t, map[string]string{"pools/allocs_test.go": allocsTest + wasteful})
	stdout, stderr, err := command.Go("test", "-run=Items|Spans|Bump", "./pools")
	if err != nil {
		t.Errorf("go test: %v\n%s%s", err, stdout, stderr)
	}
	stdout, _, err = command.Go("test", "-run=Wasteful", "./pools")
	if err == nil || !strings.Contains(stdout, "wasteful: 1 allocations") {
		t.Errorf("the planted allocation is not found: %v\n%s", err, stdout)
	}
}

// fullFile has pools that reach their limit.
const fullFile = `version: 1
package: full
defaults: {chunk_size: 1MiB, limit: 8MiB, package_functions: false}
pools:
  - {name: Fixed, item: "[64]byte", concurrency: none}
  - {name: FixedMutex, item: "[64]byte", concurrency: mutex}
  - {name: FixedSharded, item: "[64]byte", concurrency: sharded}
  - {name: Heap, suballocator: heap, concurrency: none}
  - {name: HeapMutex, suballocator: heap, concurrency: mutex}
  - {name: HeapSharded, suballocator: heap, concurrency: sharded}
  - {name: BinnedSharded, suballocator: binned, concurrency: sharded}
  - {name: ClassesSharded, suballocator: classes, concurrency: sharded}
`

// fullTest runs in the package of fullFile: an allocation that fails leaves little garbage, however many blocks are live, and TryAlloc none.
const fullTest = `package full

import (
	"errors"
	"runtime"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

const most = 1024 // bytes of garbage of a failed allocation

// atLimit takes blocks until there are no more.
func atLimit(t *testing.T, name string, alloc func() error, try func() bool) {
	live := 0
	for ; ; live++ {
		if err := alloc(); errors.Is(err, poolrt.ErrLimit) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if live < 10_000 {
		t.Fatalf("%s: %d live", name, live)
	}
	fail := func() {
		if err := alloc(); !errors.Is(err, poolrt.ErrLimit) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	const calls = 1000
	fail()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	objects := testing.AllocsPerRun(calls, fail)
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / calls; bytes > most || objects > 20 {
		t.Errorf("%s: a failed allocation leaves %d bytes in %v objects", name, bytes, objects)
	}
	if n := testing.AllocsPerRun(calls, func() {
		if try() {
			t.Fatalf("%s: TryAlloc at the limit", name)
		}
	}); n != 0 {
		t.Errorf("%s: TryAlloc that fails leaves %v objects", name, n)
	}
}

func TestFull(t *testing.T) {
	type fixed interface {
		Alloc() (*[64]byte, error)
		TryAlloc() (*[64]byte, bool)
	}
	for name, p := range map[string]fixed{"Fixed": new(FixedPool), "FixedMutex": new(FixedMutexPool), "FixedSharded": new(FixedShardedPool)} {
		atLimit(t, name, func() error { _, err := p.Alloc(); return err }, func() bool { _, ok := p.TryAlloc(); return ok })
	}
	type rows interface {
		Alloc(int) ([]byte, error)
		TryAlloc(int) ([]byte, bool)
	}
	for name, p := range map[string]rows{
		"Heap": new(HeapPool), "HeapMutex": new(HeapMutexPool), "HeapSharded": new(HeapShardedPool),
		"BinnedSharded": new(BinnedShardedPool), "ClassesSharded": new(ClassesShardedPool),
	} {
		atLimit(t, name, func() error { _, err := p.Alloc(64); return err }, func() bool { _, ok := p.TryAlloc(64); return ok })
	}
}
`

// TestLittleGarbageAtTheLimit runs fullTest.
func TestLittleGarbageAtTheLimit(t *testing.T) {
	large.Only(t)
	command := pools(t, map[string]string{"full/poolgen.yaml": fullFile, "full/full_test.go": fullTest})
	stdout, stderr, err := command.Go("test", "-run=Full", "./full")
	if err != nil {
		t.Errorf("go test: %v\n%s%s", err, stdout, stderr)
	}
}
