package conformance

import (
	"math/rand/v2"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// classed has the methods of a pool of bytes with size classes.
type classed interface {
	dropping
	Classes() []poolrt.ClassStats
	Snapshot() *poolrt.Snapshot
	Trim(int64) (int64, error)
}

// classedPools lists pools with size classes, of each concurrency.
func classedPools() map[string]classed {
	return map[string]classed{
		"binned": new(WideBinsPool), "binned at its limit": new(BinnedPool), "binned none": new(OwnBinsPool),
		"classes": new(WideClassesPool), "classes at its limit": new(CachedPool), "classes none": new(OwnClassesPool), "classes bounded": new(BoundClassesPool),
		"heap sharded": new(SharedHeapPool), "binned sharded": new(SharedBinsPool), "classes sharded": new(SharedClassesPool), "binned of each processor": new(TrimmedBinsPool),
	}
}

// sumsFit checks that the classes of a pool together have what its statistics say, and returns the classes.
func sumsFit(t *testing.T, when string, p classed) []poolrt.ClassStats {
	t.Helper()
	s, all := p.Stats(), p.Classes()
	var sum poolrt.ClassStats
	for i, c := range all {
		if c.Live < 0 || c.Pending < 0 || c.Free < 0 || c.Reserved < (c.Live+c.Pending+c.Free)*c.Size {
			t.Fatalf("%s: %+v", when, c)
		}
		if last := i == len(all)-1; last != (c.Size == 0) || i > 0 && !last && c.Size <= all[i-1].Size {
			t.Fatalf("%s: not by size: %+v", when, all)
		}
		sum.Live += c.Live
		sum.Pending += c.Pending
		sum.Reserved += c.Reserved
	}
	if sum.Live != s.Live || sum.Pending != s.Pending || sum.Reserved != s.Reserved {
		t.Fatalf("%s: in all %+v, but %v", when, sum, s)
	}
	return all
}

// The classes of a pool add up to its statistics, whatever is allocated, freed and trimmed, also where memory is short. Reading them changes nothing.
func TestClassesAddUp(t *testing.T) {
	for name, p := range classedPools() {
		t.Run(name, func(t *testing.T) {
			if all := p.Classes(); all != nil {
				t.Errorf("of an unused pool: %+v", all)
			}
			r := rand.New(rand.NewPCG(7, 7))
			var live [][]byte
			seen := int64(0) // blocks of classes
			for turn := range 40 {
				for range 200 {
					switch n := r.IntN(10); {
					case n < 6:
						if b, err := p.Alloc(1 + r.IntN(1<<r.IntN(16))); err == nil {
							live = append(live, b)
						}
					case len(live) > 0:
						k := r.IntN(len(live))
						want(t, p.Free(live[k]), nil)
						live[k] = live[len(live)-1]
						live = live[:len(live)-1]
					}
				}
				for _, c := range sumsFit(t, "at random", p) {
					seen += min(c.Size, 1) * c.Live
				}
				switch turn % 10 {
				case 5:
					must[int64](t)(p.Trim(0))
					sumsFit(t, "trimmed", p)
				case 7:
					for _, b := range live {
						want(t, p.Free(b), nil)
					}
					live = live[:0]
					sumsFit(t, "all free", p)
				case 9:
					want(t, p.Reset(), nil)
					live = live[:0]
					sumsFit(t, "reset", p)
				}
			}
			if seen == 0 {
				t.Error("no class had a live block")
			}
			want(t, p.Reset(), nil)
			want(t, p.Close(), nil)
			if all := p.Classes(); all != nil {
				t.Errorf("of a closed pool: %+v", all)
			}
		})
	}
}

// A class has the blocks that requests are rounded up to it for. Blocks that are freed stay with the class, and count as free there.
func TestClassesBySize(t *testing.T) {
	of := func(p classed, size int64) (c poolrt.ClassStats) {
		for _, c = range sumsFit(t, "by size", p) {
			if c.Size == size {
				return c
			}
		}
		return poolrt.ClassStats{}
	}
	for name, p := range classedPools() {
		t.Run(name, func(t *testing.T) {
			warm := must[[]byte](t)(p.Alloc(500)) // the first block of a shared pool may come from no slab
			before := of(p, 512)
			var live [][]byte
			for n := range 50 {
				live = append(live, must[[]byte](t)(p.Alloc(450+n)))
			}
			size := int64(512)
			if name == "binned at its limit" { // its largest bin has 64 bytes
				size = 0
			}
			got := of(p, size)
			if got.Live != 50+before.Live && (size > 0 || got.Live != 51) || got.Reserved < 51*400 {
				t.Errorf("%+v with 51 live blocks, %+v with one", got, before)
			}
			for _, b := range live {
				want(t, p.Free(b), nil)
			}
			if now := of(p, size); size > 0 && (now.Live != before.Live || name != "classes bounded" && now.Free == 0) {
				t.Errorf("%+v after the frees, %+v before", now, before)
			}
			s := p.Snapshot().Pools[0]
			if all := p.Classes(); len(s.Classes) != len(all) || s.Classes[0] != all[0] {
				t.Errorf("snapshot %+v, want %+v", s.Classes, all)
			}
			want(t, p.Free(warm), nil)
			want(t, p.Close(), nil)
		})
	}
}
