package guards

import (
	"errors"
	"math"
	"slices"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// planted allocates a block, and release frees it: reports name these functions. TryAlloc of a goroutine that has moved to another processor may have none.
func planted(t *testing.T, p form, w way) []byte {
	t.Helper()
	b, err := w.call()
	if err == errNone {
		return p.take(t)
	}
	if err != nil {
		t.Fatal(w.name, err)
	}
	return b
}

func release(p form, b []byte) error { return p.free(b) }

// A use after a free, and one beyond an end, is a fault or is found at the free, however the block was allocated. The report has both call stacks.
func TestFaultsAreReported(t *testing.T) {
	each(t, all(), func(t *testing.T, p form) {
		first := p.take(t) // so that TryAlloc finds a chunk
		for _, w := range p.ways {
			for _, write := range []bool{false, true} {
				b := planted(t, p, w)
				for i := range b {
					if err := touch(b, i, write); err != nil {
						t.Fatal(w.name, err)
					}
				}
				beyond, before := touch(b, 4096, write), touch(b, -4096, write)
				reported(t, beyond, poolrt.ErrFault, "of a guarded block of 40", "handed out", "guards.planted")
				reported(t, before, poolrt.ErrFault, "before a guarded block", "handed out", "guards.planted")
				check(t, "free", release(p, b))
				reported(t, touch(b, 0, write), poolrt.ErrFault, "is byte 0 of a guarded block that was freed", "handed out", "guards.planted", "freed", "guards.release")
				reported(t, touch(b, size-1, write), poolrt.ErrFault, "is byte 39 of a guarded block that was freed")
				reported(t, release(p, b), poolrt.ErrDoubleFree, "guards.planted", "guards.release")
			}
		}
		check(t, "free", p.free(first))
	})
}

// The byte behind a block and the one in front of it are watched, whether a page ends there or not.
func TestNeighboursAreWatched(t *testing.T) {
	each(t, all(), func(t *testing.T, p form) {
		atOnce, atFree := 0, 0
		for range 40 {
			for _, offset := range []int{-1, size} {
				b := planted(t, p, p.ways[0])
				switch err := touch(b, offset, true); {
				case errors.Is(err, poolrt.ErrFault):
					atOnce++
					check(t, "free", release(p, b))
				case err != nil:
					t.Fatal(err)
				default:
					atFree++
					reported(t, release(p, b), poolrt.ErrCorrupt, "1 byte", "guards.planted", "guards.release")
				}
			}
		}
		if atOnce == 0 || atFree == 0 {
			t.Errorf("%d are found at once, %d at the free", atOnce, atFree)
		}
	})
}

// Only so many blocks are guarded at a time. Others are used and freed as in any pool, and nothing is reported of them.
func TestOthersAreNotReported(t *testing.T) {
	forms := append(all(), items("not guarded", new(PlainPool), (*PlainRef).Detach))
	each(t, forms, func(t *testing.T, p form) {
		var blocks [][]byte
		for range 200 {
			blocks = append(blocks, p.take(t))
		}
		want := int64(64)
		if p.name == "not guarded" {
			want = 0
		}
		if s := p.Stats(); s.Live != 200 || s.LiveBytes != 200*size || s.Guarded != want || s.Reserved > s.Limit {
			t.Errorf("%v", s)
		}
		if err := p.Close(); !errors.Is(err, poolrt.ErrLive) {
			t.Errorf("close: %v", err)
		}
		slices.SortFunc(blocks, func(a, b []byte) int {
			return int(int8(uintptr(unsafe.Pointer(&a[0]))>>4) - int8(uintptr(unsafe.Pointer(&b[0]))>>4))
		})
		for _, b := range blocks {
			clear(b)
			check(t, "free", p.free(b))
		}
		if s := p.Stats(); s.Live != 0 || s.Guarded != 0 || s.LiveBytes != 0 || s.Allocs != 200 || s.Frees != 200 {
			t.Errorf("%v", s)
		}
	})
}

// As many blocks are guarded as the pool file says, within six standard deviations.
func TestShareIsGuarded(t *testing.T) {
	each(t, some(), func(t *testing.T, p form) {
		const n = 20_000
		within := func(how string, got int64) {
			mean, deviation := float64(n)/oneIn, math.Sqrt(n*(1.0/oneIn)*(1-1.0/oneIn))
			if math.Abs(float64(got)-mean) > 6*deviation {
				t.Errorf("%s: %d of %d blocks are guarded, want %.0f", how, got, n, mean)
			}
		}
		check(t, "free", p.free(p.take(t)))
		for _, w := range p.ways {
			guarded := int64(0)
			for range n {
				b := planted(t, p, w)
				guarded += p.Stats().Guarded
				check(t, "free", p.free(b))
			}
			within(w.name, guarded)
		}
		if p.batch == nil {
			return
		}
		for _, length := range []int{1, 100} {
			guarded := int64(0)
			for range n / length {
				blocks, err := p.batch(length)
				check(t, "batch", err)
				guarded += p.Stats().Guarded
				check(t, "free", p.discard(blocks))
			}
			within("a batch", guarded)
		}
		if s := p.Stats(); s.Live != 0 || s.Guarded != 0 {
			t.Errorf("%v", s)
		}
	})
}

// Blocks are zero, and aligned as the pool file says, whether they are guarded or not.
func TestGuardedBlocksAsPromised(t *testing.T) {
	each(t, []form{items("zeroed", new(ZeroedPool), (*ZeroedRef).Detach), spans("clear", new(ClearPool)), items("aligned", new(AlignedPool), (*AlignedRef).Detach)},
		func(t *testing.T, p form) {
			for range 3 {
				var blocks [][]byte
				for range 100 {
					b := p.take(t)
					if at := uintptr(unsafe.Pointer(&b[0])); at%8 != 0 || p.name == "aligned" && at%64 != 0 {
						t.Fatalf("a block at %#x", at)
					}
					for i := range b {
						if p.name != "aligned" && b[i] != 0 {
							t.Fatal("a block is not zero")
						}
						b[i] = 0xFF
					}
					blocks = append(blocks, b)
				}
				for _, b := range blocks {
					check(t, "free", p.free(b))
				}
			}
		})
}

// The memory of guarded blocks goes back with that of others, and their addresses lead back to them.
func TestGuardsAndChunks(t *testing.T) {
	each(t, []form{items("trimmed", new(TrimmedPool), (*TrimmedRef).Detach)}, func(t *testing.T, p form) {
		b := p.take(t)
		if s := p.Stats(); s.Guarded != 1 || s.Reserved != 64<<10 {
			t.Errorf("%v", s)
		}
		check(t, "free", p.free(b))
		if s := p.Stats(); s.Reserved != 0 {
			t.Errorf("an empty chunk stays: %v", s)
		}
	})
	found := new(FoundPool)
	each(t, []form{items("found", found, (*FoundRef).Detach)}, func(t *testing.T, p form) {
		b := p.take(t)
		if at, err := found.Find(uintptr(unsafe.Pointer(&b[0]))); err != nil || unsafe.Pointer(at) != unsafe.Pointer(&b[0]) {
			t.Errorf("found %p, %v", at, err)
		}
		sites := 0
		for _, c := range p.Snapshot().Pools[0].Chunks {
			for _, piece := range c.Pieces {
				if piece.Site > 0 {
					sites++
				}
			}
		}
		if sites != 1 {
			t.Errorf("%d blocks of the snapshot have a call stack", sites)
		}
		check(t, "free", p.free(b))
	})
}
