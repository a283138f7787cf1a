package gates

import (
	"strings"
	"testing"
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
	if testing.Short() {
		t.Skip("builds and runs a package")
	}
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
