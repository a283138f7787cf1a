package budget

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/ledger"
)

// hosts makes budgets of one ledger, each as another process would have it, that take leases of 100 bytes.
func hosts(t *testing.T, n int, limit int64) (all []*Budget) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("budgets of several processes need Linux")
	}
	dir := filepath.Join(t.TempDir(), "poolgen")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for range n {
		b := NewHost(ledger.Options{Dir: dir, Name: "Gpu", Limit: limit, Program: "test"}, 100)
		if err := b.Connect(); err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// emptyPool is a pool whose memory is empty as far as it may give.
type emptyPool struct {
	m     *Member
	empty int64
	to    string
}

func (p *emptyPool) Uses() uint64 { return 0 }

func (p *emptyPool) GiveEmpty(bytes int64, to string) int64 {
	n := max(min(bytes, p.m.spare(), p.empty), 0)
	p.empty -= n
	p.to = to
	p.m.Release(n)
	return n
}

func (p *emptyPool) CallHooks(int64)         {}
func (p *emptyPool) GiveAsleep(string) int64 { return 0 }

// joined makes a pool of a budget.
func joined(t *testing.T, b *Budget, terms Terms) *emptyPool {
	t.Helper()
	p := &emptyPool{}
	p.m = NewMember(b, p, terms)
	if !p.m.Join() {
		t.Fatal("there is no room for the guarantee")
	}
	return p
}

// reserve reserves bytes, of which there must be so many.
func reserve(t *testing.T, p *emptyPool, n int64, want bool) {
	t.Helper()
	if got := p.m.Reserve(n); got != want {
		t.Fatalf("Reserve(%d) is %v", n, got)
	}
}

// While the lease suffices, the ledger is not touched. What is idle beyond a lease goes back, and everything when the last pool leaves.
func TestLease(t *testing.T) {
	all := hosts(t, 2, 1000)
	a, b := joined(t, all[0], Terms{}), joined(t, all[1], Terms{})
	reserve(t, a, 10, true)
	if n := all[0].Leased(); n != 100 {
		t.Errorf("%d are leased", n)
	}
	before := all[0].host.file.Load().Decisions()
	for range 100 {
		reserve(t, a, 90, true)
		a.m.Release(90)
	}
	if n := all[0].host.file.Load().Decisions() - before; n != 0 {
		t.Errorf("the ledger was touched %d times", n)
	}
	reserve(t, a, 490, true) // 500 are held and leased
	reserve(t, b, 501, false)
	reserve(t, b, 500, true)
	a.m.Release(450)
	if n := all[0].Leased(); n != 150 {
		t.Errorf("with 50 in use, %d are leased", n)
	}
	a.m.Release(50)
	a.m.Leave()
	if n := all[0].Leased(); n != 0 {
		t.Errorf("without pools %d are leased", n)
	}
	reserve(t, b, 500, true)
}

// The guarantee of a pool is taken from other processes when the pool joins, and needs nobody later.
func TestHostGuarantee(t *testing.T) {
	all := hosts(t, 2, 1000)
	joined(t, all[0], Terms{Guarantee: 700})
	b := joined(t, all[1], Terms{})
	reserve(t, b, 301, false)
	reserve(t, b, 300, true)
	late := &emptyPool{}
	late.m = NewMember(all[1], late, Terms{Guarantee: 1})
	if late.m.Join() {
		t.Error("there is room for another guarantee")
	}
	if n := all[1].Elsewhere(); n != 700 {
		t.Errorf("%d are elsewhere", n)
	}
}

// Processes that wait for memory get what others do not use: idle leases at once, empty chunks when these tidy up or serve, and never what is guaranteed.
func TestAnswer(t *testing.T) {
	all := hosts(t, 2, 1000)
	a, b := joined(t, all[0], Terms{Guarantee: 300, Reclaim: Trim}), joined(t, all[1], Terms{})
	reserve(t, a, 1000, true)
	a.empty = 1000
	done := all[1].Want(600, 3)
	reserve(t, b, 600, false)
	all[0].Tidy()
	reserve(t, b, 600, true)
	done()
	if a.to == "" || a.m.Held() != 400 {
		t.Errorf("%d stay for who gave to %q", a.m.Held(), a.to)
	}
	defer all[1].Want(300, 3)()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- all[0].Serve(ctx) }()
	for !b.m.Reserve(100) {
		time.Sleep(time.Millisecond)
	}
	reserve(t, b, 1, false)
	cancel()
	if err := <-served; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	if a.m.Held() != 300 || all[0].Leased() != 300 {
		t.Errorf("%d of %d stay", a.m.Held(), all[0].Leased())
	}
}

// Serve wakes those who wait for what other processes give back.
func TestServeWakes(t *testing.T) {
	all := hosts(t, 2, 1000)
	a, b := joined(t, all[0], Terms{}), joined(t, all[1], Terms{})
	reserve(t, a, 1000, true)
	defer all[1].Want(100, 0)()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	served := make(chan error)
	go func() { served <- all[1].Serve(ctx) }()
	room := all[1].Room()
	a.m.Release(500)
	<-room
	cancel()
	<-served
	reserve(t, b, 100, true)
}

// What goes back while a pool of this process is in need stays with the process.
func TestNeedKeeps(t *testing.T) {
	b := hosts(t, 1, 1000)[0]
	p, q := joined(t, b, Terms{Reclaim: Trim}), joined(t, b, Terms{})
	reserve(t, p, 1000, true)
	p.empty = 800
	if n := b.Reclaim(q.m, Need{Ways: Trim, Lacking: func() int64 { return 800 - b.Free() }}); n != 800 || b.Leased() != 1000 {
		t.Errorf("%d went back, and %d stay leased", n, b.Leased())
	}
}

// A ledger that fails refuses growth, says why, and loses nothing.
func TestLedgerFails(t *testing.T) {
	all := hosts(t, 1, 1000)
	a := joined(t, all[0], Terms{})
	reserve(t, a, 500, true)
	path := filepath.Join(all[0].host.options.Dir, "Gpu.ledger")
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	reserve(t, a, 500, false)
	if !errors.Is(all[0].Failure(), ledger.ErrBadFile) {
		t.Errorf("the reason is %v", all[0].Failure())
	}
	a.m.Release(450) // 350 cannot go back to the ledger yet
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	reserve(t, a, 950, true)
	if list, err := all[0].Processes(); err != nil || len(list) != 1 || list[0].Held != 1000 || all[0].Leased() != 1000 {
		t.Errorf("the ledger has %+v, the budget %d, %v", list, all[0].Leased(), err)
	}
}

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
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// BenchmarkReserve compares growth out of the lease with growth that asks the ledger each time, both with what follows when the memory goes back: a short call of
// the system, or another decision of the ledger. One call of the system is the reference.
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

// What others gave back since the ledger was read last counts as room.
func TestRoomIsReadAgain(t *testing.T) {
	all := hosts(t, 2, 1000)
	a, b := joined(t, all[0], Terms{}), joined(t, all[1], Terms{})
	reserve(t, a, 500, true)
	reserve(t, b, 500, true)
	for range 2 { // after the ledger has given the last it had, and after it has refused some
		a.m.Release(500)
		all[0].Tidy()
		if n := b.m.Available(); n != 500 {
			t.Errorf("%d are available", n)
		}
		reserve(t, b, 500, true)
		b.m.Release(500)
		all[1].Tidy()
		reserve(t, a, 500, true)
		reserve(t, b, 1, false)
	}
}
