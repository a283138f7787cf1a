package conformance

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// X5: a second free, a free of a foreign block, and a free of a part of a block are refused, in every build, and change nothing.
func TestX5InvalidFrees(t *testing.T) {
	p, q := must[*SmallPool](t)(NewSmallPool()), must[*SmallPool](t)(NewSmallPool())
	b, own := must[[]byte](t)(p.Alloc(1000)), must[[]byte](t)(q.Alloc(1000))
	before := p.Stats()
	for name, free := range map[string][]byte{
		"another pool's": own, "Go memory": make([]byte, 1000), "nil": nil, "empty": b[:0], "a start": b[:500], "an end": b[500:],
	} {
		if err := p.Free(free); !errors.Is(err, poolrt.ErrForeign) || !errors.Is(err, poolrt.ErrInvalidFree) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := p.Stats(); after != before {
		t.Errorf("%+v became %+v", before, after)
	}
	want(t, p.Free(b), nil)
	want(t, p.Free(b), poolrt.ErrInvalidFree)
	items := must[*BlockPool](t)(NewBlockPool())
	i := must[*BlockBlock](t)(items.Alloc())
	want(t, items.Free(i), nil)
	want(t, items.Free(i), poolrt.ErrDoubleFree)
	want(t, items.Free(nil), poolrt.ErrForeign)
	want(t, items.Free(new(BlockBlock)), poolrt.ErrForeign)
}

// X12: at the limit, an allocation waits for a block to be freed, and does not delay frees.
func TestX12WaitAtLimit(t *testing.T) {
	p := must[*TurnPool](t)(NewTurnPool())
	blocks, small := [][]byte{}, 16*kib
	for range 4 {
		blocks = append(blocks, must[[]byte](t)(p.Alloc(small)))
	}
	start := time.Now()
	got := make(chan []byte)
	for range 4 {
		go func() {
			b, err := p.Alloc(small)
			if err != nil {
				t.Error(err)
			}
			got <- b
		}()
	}
	for _, b := range blocks {
		want(t, p.Free(b), nil)
		want(t, p.Free(<-got), nil)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
	if s := p.Stats(); s.Live != 0 || s.PeakReserved != 64*kib || s.Failures != 0 {
		t.Errorf("%+v", s)
	}
}

// X14: blocks of a binned pool can be freed whatever bin they came from, and have the right alignment.
func TestX14Binned(t *testing.T) {
	p := must[*BinnedPool](t)(NewBinnedPool())
	var blocks [][]byte
	for n := 1; n <= 300; n++ {
		blocks = append(blocks, must[[]byte](t)(p.Alloc(n)), must[[]byte](t)(p.AllocAligned(n, 256)))
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	for _, b := range blocks {
		want(t, p.Free(b), nil)
	}
	if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.RoundingBytes != 0 {
		t.Errorf("%+v", s)
	}
}

// X15: the counters are exact under concurrency, and may be read at any time.
func TestX15Counters(t *testing.T) {
	p := must[*SmallPool](t)(NewSmallPool())
	const workers, rounds = 4, 2000
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range rounds {
				b, err := p.Alloc(1 + (i*7+w)%1000)
				if err != nil {
					t.Error(err)
					return
				}
				if s := p.Stats(); s.Live < 1 || s.Live > workers || s.Allocs-s.Frees != s.Live || s.LiveBytes > s.PeakBytes || s.Reserved > s.Limit {
					t.Errorf("%+v", s)
				}
				if err := p.Free(b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if s := p.Stats(); s.Allocs != workers*rounds || s.Frees != s.Allocs || s.Live != 0 || s.LiveBytes != 0 || s.PeakBytes > 4000 {
		t.Errorf("%+v", s)
	}
}

// X16: the error of Close with live blocks has their number, and the pool stays open.
func TestX16CloseWithLiveBlocks(t *testing.T) {
	p := must[*SmallPool](t)(NewSmallPool())
	blocks := [][]byte{must[[]byte](t)(p.Alloc(10)), must[[]byte](t)(p.Alloc(100)), must[[]byte](t)(p.Alloc(1000))}
	err := p.Close()
	want(t, err, poolrt.ErrLive)
	if !bytes.Contains([]byte(err.Error()), []byte("3 blocks are live")) {
		t.Error(err)
	}
	blocks[0][9] = 1
	for _, b := range blocks {
		want(t, p.Free(b), nil)
	}
	want(t, p.Close(), nil)
	want(t, p.Close(), nil)
	want(t, second(p.Alloc(1)), poolrt.ErrClosed)
	want(t, p.Free(blocks[0]), poolrt.ErrClosed)
	forced := must[*SmallPool](t)(NewSmallPool())
	must[[]byte](t)(forced.Alloc(1))
	want(t, forced.CloseForce(), nil)
	if s := forced.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.Allocs != 1 || s.Frees != 1 || s.PeakBytes != 1 {
		t.Errorf("%+v", s)
	}
}

// X17: without a suballocator the counters, the limit and the checks are the same.
func TestX17DirectStats(t *testing.T) {
	p := must[*DirectPool](t)(NewDirectPool())
	a, b := must[[]byte](t)(p.Alloc(1000)), must[[]byte](t)(p.Alloc(5*mib))
	if s := p.Stats(); s.Live != 2 || s.LiveBytes != 1000+5*mib || s.Reserved != 4*kib+5*mib || s.Chunks != 2 || s.Allocs != 2 {
		t.Errorf("%+v", s)
	}
	want(t, second(p.Alloc(5*mib)), poolrt.ErrLimit)
	want(t, second(p.Alloc(10*mib+1)), poolrt.ErrTooLarge)
	want(t, p.Free(a[:10]), poolrt.ErrForeign)
	want(t, p.Free(a), nil)
	want(t, p.Free(a), poolrt.ErrInvalidFree)
	want(t, p.Free(b), nil)
	if s := p.Stats(); s.Live != 0 || s.Reserved != 0 || s.Chunks != 0 || s.Frees != 2 || s.PeakReserved != 4*kib+5*mib {
		t.Errorf("%+v", s)
	}
	full := must[[]byte](t)(p.Alloc(10 * mib))
	want(t, p.Free(full), nil)
}

// X18: 2^18 single numbers, freed in random order: all are free again, and the range is one piece.
func TestX18OneRangeAtTheEnd(t *testing.T) {
	p := must[*NumberPool](t)(NewNumberPool())
	const n = 1 << 18
	want(t, p.Track(0, n), nil)
	rows := make([]NumberIDs, n)
	for i := range rows {
		rows[i] = must[NumberIDs](t)(p.Alloc(1))
	}
	want(t, second(p.Alloc(1)), poolrt.ErrLimit)
	rand.New(rand.NewPCG(3, 3)).Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for _, r := range rows {
		want(t, p.Free(r), nil)
	}
	if s := p.Stats(); s.LargestFree != n || s.Live != 0 {
		t.Errorf("%+v", s)
	}
	if all := must[NumberIDs](t)(p.Alloc(n)); all.First() != 0 {
		t.Errorf("starts at %d", all.First())
	}
}

// X19: pools of host memory need neither cgo nor a driver: this package has no other pools, and depends on neither.
func TestX19NoDriver(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	deps := bytes.Fields(out)
	for _, bad := range []string{"runtime/cgo", "C", "github.com/poolgen/poolgen/cuda", "github.com/poolgen/poolgen/spec"} {
		if slices.ContainsFunc(deps, func(d []byte) bool { return string(d) == bad }) {
			t.Errorf("depends on %s", bad)
		}
	}
	t.Log(len(deps), "packages")
}
