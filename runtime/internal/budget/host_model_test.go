package budget

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/runtime/internal/ledger"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Random pools of three processes keep to the limit together, and the ledger has what the budgets have.
func TestHostModel(t *testing.T) {
	all := hosts(t, 3, 1000)
	var pools []*emptyPool
	for i := range 6 {
		pools = append(pools, joined(t, all[i%3], Terms{Guarantee: int64(i%2) * 50, Reclaim: Trim, Priority: i}))
	}
	steps := 20000
	if testing.Short() {
		steps = 2000
	}
	for range steps {
		p := pools[rand.IntN(len(pools))]
		b, n := p.m.Budget(), rand.Int64N(300)
		switch rand.IntN(6) {
		case 0:
			p.m.Release(min(n, p.m.Held()-p.empty))
		case 1:
			p.empty = min(p.empty+n, p.m.Held())
		case 2:
			b.Tidy()
		case 3:
			b.Want(1+n, p.m.Priority)()
		default:
			p.m.Reserve(n)
		}
		sum := int64(0)
		for _, b := range all {
			sum += b.Charged()
			if b.Charged() > b.Leased() {
				t.Fatalf("%d are charged, and %d leased", b.Charged(), b.Leased())
			}
		}
		if sum > 1000 {
			t.Fatalf("%d are charged", sum)
		}
	}
	for i, e := range must(all[0].Processes())(t) {
		if e.Held != all[i].Leased() {
			t.Errorf("process %d has %d in the ledger, and %d", i, e.Held, all[i].Leased())
		}
	}
	for _, p := range pools {
		p.m.Release(p.m.Held())
		p.m.Leave()
	}
	for _, e := range must(all[0].Processes())(t) {
		if e.Held != 0 {
			t.Errorf("without pools, %+v", e)
		}
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		fatal.If(t, err)
		return v
	}
}

// BenchmarkReserve compares growth out of the lease with growth that asks the ledger each time, both with what follows when the memory goes back: a look whether
// others wait, or a write to the ledger. One call of the system is the reference.
func BenchmarkReserve(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "poolgen")
	b.Run("call", func(b *testing.B) {
		for b.Loop() {
			_ = os.Getppid()
		}
	})
	for name, lease := range map[string]int64{"lease": 1000, "ledger": 1} {
		b.Run(name, func(b *testing.B) {
			h := NewHost(ledger.Options{Dir: dir, Name: "B" + name, Limit: 1000, Program: "test"}, lease)
			if err := h.Connect(); err != nil {
				b.Skip(err)
			}
			p := &emptyPool{}
			p.m = NewMember(h, p, Terms{})
			p.m.Join()
			for b.Loop() {
				p.m.Reserve(100)
				p.m.Release(100)
			}
		})
	}
}
