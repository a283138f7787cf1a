package budget

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/ledger"
	"github.com/poolgen/poolgen/tests/fatal"
)

// hosts makes budgets of one ledger, each as another process would have it, that take leases of 100 bytes.
func hosts(t *testing.T, n int, limit int64) (all []*Budget) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("budgets of several processes need Linux")
	}
	dir := filepath.Join(t.TempDir(), "poolgen")
	fatal.If(t, os.Mkdir(dir, 0o700))
	for range n {
		b := NewHost(ledger.Options{Dir: dir, Name: "Gpu", Limit: limit, Program: "test"}, 100)
		fatal.If(t, b.Connect())
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

func (p *emptyPool) CallHooks(int64, string) int64 { return 0 }
func (p *emptyPool) GiveAsleep(string) int64       { return 0 }

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
	before := all[0].host.ledger().(*ledger.Ledger).Decisions()
	for range 100 {
		reserve(t, a, 90, true)
		a.m.Release(90)
	}
	if n := all[0].host.ledger().(*ledger.Ledger).Decisions() - before; n != 0 {
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
	if again := b.Reclaim(q.m, Need{Ways: Trim, Lacking: func() int64 { return 800 - b.Free() }}); !again || b.Free() != 800 || b.Leased() != 1000 {
		t.Errorf("%v: %d are free, and %d stay leased", again, b.Free(), b.Leased())
	}
}

// A ledger that fails refuses growth, says why, and loses nothing.
func TestLedgerFails(t *testing.T) {
	all := hosts(t, 1, 1000)
	a := joined(t, all[0], Terms{})
	reserve(t, a, 500, true)
	path := filepath.Join(all[0].host.options.Dir, "Gpu.ledger")
	fatal.If(t, os.Truncate(path, 10))
	reserve(t, a, 500, false)
	if !errors.Is(all[0].Failure(), ledger.ErrBadFile) {
		t.Errorf("the reason is %v", all[0].Failure())
	}
	a.m.Release(450) // 350 cannot go back to the ledger yet
	fatal.If(t, os.Remove(path))
	reserve(t, a, 950, true)
	if list, err := all[0].Processes(); err != nil || len(list) != 1 || list[0].Held != 1000 || all[0].Leased() != 1000 {
		t.Errorf("the ledger has %+v, the budget %d, %v", list, all[0].Leased(), err)
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
