//go:build cudasim

package sharing

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// extent is a block, or a part of one.
type extent struct {
	at cuda.DevicePtr
	n  int64
}

func extentOf(block any) extent {
	at, n := place(block)
	return extent{at, n}
}

// Whatever was allocated and freed before, only live blocks can be shared: not a part of a block, and not a free or pending block.
func TestOnlyLiveBlocksAreShared(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{})
			p, r := poolOf(subjects[name].fresh()), rand.New(rand.NewPCG(1, 2))
			if !p.has("Free") {
				t.Skip("blocks are not freed one by one")
			}
			s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
			live := map[extent]any{}
			var all []any
			for range 1500 {
				switch b := p.random(r, live); {
				case b == nil || r.IntN(5) < 2 && len(live) < 60:
					if b, err := p.alloc(1 + r.IntN(200)); err == nil {
						live[extentOf(b)] = b
						all = append(all[max(0, len(all)-200):], b)
					}
				case r.IntN(2) == 0 && p.has("FreeAsync"):
					rig.Check(t, "free", p.do("FreeAsync", b, s))
					delete(live, extentOf(b))
				default:
					rig.Check(t, "free", p.do("Free", b))
					delete(live, extentOf(b))
				}
				for range 3 {
					if len(all) == 0 {
						break
					}
					b := all[r.IntN(len(all))]
					if n := length(b); n > 1 && r.IntN(3) == 0 {
						from := r.IntN(n)
						b = poolOf(b).MethodByName("Slice").Call(poolOf(0).args(from, from+1+r.IntN(n-from)))[0].Interface()
					}
					_, err := p.share(b)
					if want := live[extentOf(b)] != nil; want != (err == nil) || err != nil && !errors.Is(err, poolrt.ErrInvalidFree) {
						t.Fatalf("live %v, but Share returned %v", want, err)
					}
				}
			}
			rig.Check(t, "close", p.do("CloseForce"))
			rig.Check(t, "close", s.Close())
		})
	}
}

// random picks one of the live blocks.
func (p pool) random(r *rand.Rand, live map[extent]any) any {
	keys := slices.SortedFunc(maps.Keys(live), func(a, b extent) int { return int(a.at) - int(b.at) })
	if len(keys) == 0 {
		return nil
	}
	return live[keys[r.IntN(len(keys))]]
}

// length is the number of items of a block.
func length(b any) int {
	if s, ok := b.(interface{ Len() int }); ok {
		return s.Len()
	}
	return 1
}

// Many goroutines share, open and free at once, while pools are imported and closed.
func TestManyGoroutinesShareAndOpen(t *testing.T) {
	machine(t, sim.Config{})
	t.Run("Row", func(t *testing.T) { together(t, new(RowPool), ImportRowPool) })
	t.Run("VirtualRow", func(t *testing.T) { together(t, new(VirtualRowPool), ImportVirtualRowPool) })
}

func together[B comparable, P poolOfRows[B]](t *testing.T, p P, open opening[P]) {
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(g)))
			for range 8 {
				f := rig.Must(p.Export())
				q := rig.Must(open(f))
				rig.Check(t, "close file", f.Close())
				var held []B
				var inner sync.WaitGroup
				for range 20 {
					b := rig.Must(p.Alloc(1 + r.IntN(30)))
					s := rig.Must(p.Share(b))
					for range 2 {
						inner.Go(func() {
							switch o, err := q.Open(s); {
							case err == nil:
								rig.Check(t, "free", q.Free(o))
							case !errors.Is(err, poolrt.ErrLive): // the other importer has opened the block
								t.Errorf("open: %v", err)
							}
						})
					}
					held = append(held, b)
				}
				inner.Wait()
				rig.Check(t, "close", q.Close())
				for _, b := range held {
					rig.Check(t, "free", p.Free(b))
				}
			}
		})
	}
	all.Wait()
	rig.Check(t, "close", p.Close())
}

// poolOfRows has the methods of a pool of rows.
type poolOfRows[B any] interface {
	Alloc(int) (B, error)
	Free(B) error
	Export() (*os.File, error)
	Share(B) (cuda.Shared, error)
	Open(cuda.Shared) (B, error)
	Close() error
	CloseForce() error
}

type opening[P any] = func(*os.File, ...poolrt.Option) (P, error)

// A pool that is closed while it is used leaves no memory and no files.
func TestClosedMeanwhile(t *testing.T) {
	machine(t, sim.Config{})
	for range 20 {
		closedMeanwhile(t, new(RowPool), ImportRowPool)
		closedMeanwhile(t, new(VirtualRowPool), ImportVirtualRowPool)
	}
}

func closedMeanwhile[B comparable, P poolOfRows[B]](t *testing.T, p P, open opening[P]) {
	f := rig.Must(p.Export())
	q := rig.Must(open(f))
	rig.Check(t, "close file", f.Close())
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for {
				b, err := p.Alloc(10)
				if err != nil {
					rig.Refused(t, "alloc", err, poolrt.ErrClosed)
					return
				}
				s, err := p.Share(b)
				if err != nil {
					rig.Refused(t, "share", err, poolrt.ErrClosed)
					continue
				}
				o, err := q.Open(s)
				if err != nil {
					rig.Refused(t, "open", err, poolrt.ErrClosed)
				} else if err = q.Free(o); err != nil {
					rig.Refused(t, "free", err, poolrt.ErrClosed)
				}
				if err := p.Free(b); err != nil {
					rig.Refused(t, "free", err, poolrt.ErrClosed)
				}
			}
		})
	}
	rig.Check(t, "close", q.CloseForce())
	rig.Check(t, "close", p.CloseForce())
	all.Wait()
}
