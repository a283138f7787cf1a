package budget

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/poolgen/poolgen/runtime/internal/ledger"
	"github.com/poolgen/poolgen/tests/fatal"
)

// stopped has the lock of a ledger, as a process has that was stopped while it decided, until it goes on.
func stopped(t *testing.T, b *Budget) (goOn func()) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(b.host.options.Dir, "Gpu.ledger"), os.O_RDWR, 0)
	fatal.If(t, err)
	lock := unix.Flock_t{Type: unix.F_WRLCK, Len: 1}
	fatal.If(t, unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock))
	return func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Memory goes back to other processes without a decision. Only growth needs one, and waits for it where no
// lock of a pool is held.
func TestStopped(t *testing.T) {
	all := hosts(t, 2, 1000)
	a, b := joined(t, all[0], Terms{}), joined(t, all[1], Terms{Guarantee: 100})
	reserve(t, a, 900, true)
	defer all[1].Want(850, 0)()
	goOn := stopped(t, all[0])
	a.m.Release(400) // beyond one lease
	a.m.Release(50)  // of the lease, as others wait
	if n := all[0].Leased(); n != 450 {
		t.Errorf("%d stay leased", n)
	}
	reserve(t, b, 300, false)
	if err := all[1].Failure(); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("the reason is %v", err)
	}
	waited := make(chan struct{})
	go func() {
		all[1].Reclaim(b.m, Need{Lacking: func() int64 { return 1 }})
		close(waited)
	}()
	goOn()
	<-waited
	if err := all[1].Failure(); err != nil {
		t.Error(err)
	}
	reserve(t, b, 300, true)
}
