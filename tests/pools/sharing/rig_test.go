//go:build cudasim

package sharing

import (
	"os"
	"reflect"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// subject is a kind of pool under test.
type subject struct {
	fresh func() any
	open  func(*os.File, ...poolrt.Option) (any, error) // ImportFooPool
}

func of[P any](open func(*os.File, ...poolrt.Option) (*P, error)) subject {
	return subject{func() any { return new(P) }, func(f *os.File, o ...poolrt.Option) (any, error) {
		p, err := open(f, o...)
		if err != nil {
			return nil, err
		}
		return p, nil
	}}
}

var subjects = map[string]subject{
	"Cell": of(ImportCellPool), "Single": of(ImportSinglePool), "Row": of(ImportRowPool), "Binned": of(ImportBinnedPool), "Classes": of(ImportClassesPool),
	"Ring": of(ImportRingPool), "Frame": of(ImportFramePool), "Strips": of(ImportStripsPool), "Direct": of(ImportDirectPool), "Aligned": of(ImportAlignedPool), "Spill": of(ImportSpillPool),
	"VirtualCell": of(ImportVirtualCellPool), "VirtualRow": of(ImportVirtualRowPool), "VirtualBinned": of(ImportVirtualBinnedPool),
	"VirtualClasses": of(ImportVirtualClassesPool), "VirtualMany": of(ImportVirtualManyPool), "VirtualRing": of(ImportVirtualRingPool), "VirtualFrame": of(ImportVirtualFramePool),
	"VirtualDirect": of(ImportVirtualDirectPool), "Sync": of(ImportSyncPool), "SyncCell": of(ImportSyncCellPool), "Stand": of(ImportStandPool),
	"Both": of(ImportBothPool), "Seen": of(ImportSeenPool), "VirtualSeen": of(ImportVirtualSeenPool),
}

// pool is a pool of any type. Its methods are called by name.
type pool struct{ reflect.Value }

func poolOf(p any) pool { return pool{reflect.ValueOf(p)} }

// call calls a method and returns its first result, and its last, which is the error.
func (p pool) call(method string, args ...any) (any, error) {
	var in []reflect.Value
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	out := p.MethodByName(method).Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	return out[0].Interface(), err
}

func (p pool) has(method string) bool { return p.MethodByName(method).IsValid() }

// do calls a method that returns only an error.
func (p pool) do(method string, args ...any) error {
	_, err := p.call(method, args...)
	return err
}

// alloc allocates a block, of n items if the pool has blocks of several sizes.
func (p pool) alloc(n int) (any, error) {
	if p.MethodByName("Alloc").Type().NumIn() == 0 {
		return p.call("Alloc")
	}
	return p.call("Alloc", n)
}

func (p pool) stats() poolrt.Stats {
	return p.MethodByName("Stats").Call(nil)[0].Interface().(poolrt.Stats)
}

func (p pool) export() (*os.File, error) {
	f, err := p.call("Export")
	return f.(*os.File), err
}

func (p pool) share(block any) (cuda.Shared, error) {
	s, err := p.call("Share", block)
	return s.(cuda.Shared), err
}

// place returns the address of a block, and its length.
func place(block any) (cuda.DevicePtr, int64) {
	at := block.(interface{ Addr() cuda.DevicePtr }).Addr()
	if s, ok := block.(interface{ Bytes() int64 }); ok {
		return at, s.Bytes()
	}
	return at, 32 // a Body
}

// fill writes a value to all of a block.
func fill(block any, value byte) error {
	at, n := place(block)
	return cuda.Memset(at, value, n)
}

// holds reports whether all of a block has a value.
func holds(block any, value byte) bool {
	at, n := place(block)
	got := make([]byte, n)
	if cuda.CopyToHost(got, at) != nil {
		return false
	}
	for _, b := range got {
		if b != value {
			return false
		}
	}
	return true
}

// machine is rig.Machine with streams that run by themselves. It also checks that no file is left open.
func machine(t *testing.T, cfg sim.Config) {
	t.Helper()
	cfg.Schedule = 1
	rig.Machine(t, cfg)
	before := descriptors(t)
	t.Cleanup(func() {
		if after := descriptors(t); after != before {
			t.Errorf("%d files are open, %d were before", after, before)
		}
	})
}

// poll makes Go open the files by which the process waits for others. They stay open.
var poll = sync.OnceFunc(func() {
	r, w, err := os.Pipe()
	if err == nil {
		_, _ = r.Close(), w.Close()
	}
})

// descriptors counts the open files of the process. Those of memory that was freed on a stream are closed when the stream has passed the free.
func descriptors(t *testing.T) int {
	poll()
	sim.RunAll()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(list)
}

// args makes the arguments of a call.
func (pool) args(list ...int) (in []reflect.Value) {
	for _, n := range list {
		in = append(in, reflect.ValueOf(n))
	}
	return in
}
