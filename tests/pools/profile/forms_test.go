//go:build !pooltrace

package profile

import (
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// form is a pool of any kind, as a pool of bytes.
type form struct {
	whole
	name  string
	cells bool  // blocks of one size
	alone bool  // one goroutine at a time
	sizes []int // that it has
	alloc func(n int) ([]byte, error)
	free  func([]byte) error // nil: Reset frees
}

// whole is what all pools have in common.
type whole interface {
	poolrt.Watched
	poolrt.Snapshots
	Close() error
	CloseForce() error
}

// cellPool is a pool of blocks of one size.
type cellPool[B any] interface {
	whole
	Alloc() (*B, error)
	Free(*B) error
}

func cells[B any](name string, p cellPool[B]) form {
	size := int(unsafe.Sizeof(*new(B)))
	return form{p, name, true, false, []int{size}, func(int) ([]byte, error) {
		b, err := p.Alloc()
		return rig.BytesOf(b), err
	}, func(b []byte) error { return p.Free(rig.ItemOf[B](b)) }}
}

// rowPool is a pool of rows of bytes.
type rowPool interface {
	whole
	Alloc(n int) ([]byte, error)
}

func rows(name string, p rowPool) form {
	f := form{p, name, false, false, []int{kib, 64 * kib}, p.Alloc, nil}
	if p, ok := p.(interface{ Free([]byte) error }); ok {
		f.free = p.Free
	}
	return f
}

// forOne says that only one goroutine at a time may use the pool.
func (f form) forOne() form {
	f.alone = true
	return f
}

// direct says that each block is a call of the system.
func (f form) direct() form {
	f.sizes = []int{64 * kib}
	return f
}

// small returns new pools of each kind.
func small() []form {
	return append([]form{
		cells("CellNone", new(CellNonePool)).forOne(), cells("CellMutex", new(CellMutexPool)), cells("CellSharded", new(CellShardedPool)),
		cells("CellMagazine", new(CellMagazinePool)), cells("CellHandle", new(CellHandlePool)),
		cells("BothCells", new(BothCellsPool)), rows("BothRows", new(BothRowsPool)),
	}, rowForms()...)
}

// large returns new pools of each kind, for blocks so large that all of them are sampled. With -short it leaves most kinds out: with the race detector, pools
// take memory of Go, which is cleared.
func large() []form {
	all := []form{cells("WideMutex", new(WideMutexPool)), cells("WideSharded", new(WideShardedPool))}
	if testing.Short() {
		all = append(all, rows("HeapMutex", new(HeapMutexPool)), rows("HeapSharded", new(HeapShardedPool)))
	} else {
		all = append(all, cells("WideNone", new(WideNonePool)).forOne(), cells("WideHandle", new(WideHandlePool)))
		all = append(all, rowForms()...)
	}
	for i := range all {
		all[i].sizes = []int{16 * mib}
	}
	return all
}

func rowForms() []form {
	return []form{
		rows("HeapNone", new(HeapNonePool)).forOne(), rows("HeapMutex", new(HeapMutexPool)), rows("HeapSharded", new(HeapShardedPool)),
		rows("HeapTrims", new(HeapTrimsPool)), rows("HeapZero", new(HeapZeroPool)),
		rows("BinnedNone", new(BinnedNonePool)).forOne(), rows("BinnedMutex", new(BinnedMutexPool)), rows("BinnedSharded", new(BinnedShardedPool)),
		rows("ClassesNone", new(ClassesNonePool)).forOne(), rows("ClassesMutex", new(ClassesMutexPool)), rows("ClassesSharded", new(ClassesShardedPool)),
		rows("RingNone", new(RingNonePool)).forOne(), rows("RingMutex", new(RingMutexPool)), rows("RingSharded", new(RingShardedPool)),
		rows("BumpNone", new(BumpNonePool)).forOne(), rows("BumpMutex", new(BumpMutexPool)), rows("BumpSharded", new(BumpShardedPool)),
		rows("DirectNone", new(DirectNonePool)).forOne().direct(), rows("DirectMutex", new(DirectMutexPool)).direct(),
	}
}

// reset frees all blocks of a pool that frees none by itself.
func (f form) reset() error { return f.whole.(interface{ Reset() error }).Reset() }

// take allocates a block.
func (f form) take(t testing.TB, n int) []byte {
	t.Helper()
	b, err := f.alloc(n)
	fatal.If(t, err)
	return b
}
