package guards

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// size is the length of a block.
const size = 40

// form is a pool of any form, as one of bytes.
type form struct {
	whole
	name    string
	ways    []way // the calls that allocate
	free    func([]byte) error
	batch   func(n int) ([][]byte, error) // nil: the pool has none
	discard func([][]byte) error
}

// whole is what all pools have in common.
type whole interface {
	Stats() poolrt.Stats
	Snapshot() *poolrt.Snapshot
	Close() error
	CloseForce() error
}

// way is a call that allocates a block.
type way struct {
	name string
	call func() ([]byte, error)
}

type itemPool[R any] interface {
	whole
	Alloc() (*[size]byte, error)
	TryAlloc() (*[size]byte, bool)
	AllocContext(context.Context) (*[size]byte, error)
	AllocRef() (R, error)
	AllocBatch([]*[size]byte) (int, error)
	FreeBatch([]*[size]byte) error
	Free(*[size]byte) error
}

var errNone = errors.New("TryAlloc has none")

// items is a pool of items. detach takes the block from its owner.
func items[R any](name string, p itemPool[R], detach func(*R) *[size]byte) form {
	f := form{whole: p, name: name, free: func(b []byte) error { return p.Free(rig.ItemOf[[size]byte](b)) }}
	f.ways = []way{
		{"Alloc", func() ([]byte, error) { b, err := p.Alloc(); return rig.BytesOf(b), err }},
		{"TryAlloc", func() ([]byte, error) {
			if b, ok := p.TryAlloc(); ok {
				return rig.BytesOf(b), nil
			}
			return nil, errNone
		}},
		{"AllocContext", func() ([]byte, error) { b, err := p.AllocContext(context.Background()); return rig.BytesOf(b), err }},
		{"AllocRef", func() ([]byte, error) { r, err := p.AllocRef(); return rig.BytesOf(detach(&r)), err }},
	}
	f.batch = func(n int) (blocks [][]byte, err error) {
		dst := make([]*[size]byte, n)
		n, err = p.AllocBatch(dst)
		for _, b := range dst[:n] {
			blocks = append(blocks, rig.BytesOf(b))
		}
		return blocks, err
	}
	f.discard = func(blocks [][]byte) error {
		var dst []*[size]byte
		for _, b := range blocks {
			dst = append(dst, rig.ItemOf[[size]byte](b))
		}
		return p.FreeBatch(dst)
	}
	return f
}

type spanPool interface {
	whole
	Alloc(n int) ([]byte, error)
	AllocAligned(n, align int) ([]byte, error)
	TryAlloc(n int) ([]byte, bool)
	AllocContext(ctx context.Context, n int) ([]byte, error)
	Free([]byte) error
}

// spans is a pool of rows of bytes.
func spans(name string, p spanPool) form {
	f := form{whole: p, name: name, free: p.Free}
	f.ways = []way{
		{"Alloc", func() ([]byte, error) { return p.Alloc(size) }},
		{"AllocAligned", func() ([]byte, error) { return p.AllocAligned(size, 256) }},
		{"TryAlloc", func() ([]byte, error) {
			if b, ok := p.TryAlloc(size); ok {
				return b, nil
			}
			return nil, errNone
		}},
		{"AllocContext", func() ([]byte, error) { return p.AllocContext(context.Background(), size) }},
	}
	return f
}

// all returns new pools that guard each block.
func all() []form {
	return []form{
		items("none", new(AlonePool), (*AloneRef).Detach), items("mutex", new(ItemPool), (*ItemRef).Detach), items("sharded", new(StrictPool), (*StrictRef).Detach),
		items("magazine", new(MagazinePool), (*MagazineRef).Detach), items("trimmed", new(TrimmedPool), (*TrimmedRef).Detach),
		items("zeroed", new(ZeroedPool), (*ZeroedRef).Detach), items("aligned", new(AlignedPool), (*AlignedRef).Detach), items("found", new(FoundPool), (*FoundRef).Detach),
		spans("heap none", new(SinglePool)), spans("heap mutex", new(HeapPool)), spans("heap slabs", new(SlabPool)), spans("heap sharded", new(ShardPool)),
		spans("binned none", new(BinnedAlonePool)), spans("binned mutex", new(BinnedPool)), spans("binned sharded", new(BinnedShardPool)),
		spans("classes none", new(ClassedAlonePool)), spans("classes mutex", new(ClassedPool)), spans("classes sharded", new(ClassedShardPool)),
		spans("clear", new(ClearPool)),
	}
}

// some returns new pools of which one block in oneIn is guarded.
func some() []form {
	return []form{
		items("mutex", new(SomePool), (*SomeRef).Detach), items("strict", new(SomeStrictPool), (*SomeStrictRef).Detach),
		spans("heap none", new(SomeAlonePool)), spans("heap slabs", new(SomeShardPool)),
	}
}

// oneIn is their value of one_in.
const oneIn = 50

// each runs a test with each of the pools, which it closes.
func each(t *testing.T, forms []form, test func(t *testing.T, p form)) {
	if poolrt.Debug || poolrt.Traced || runtime.GOOS == "js" || runtime.GOOS == "plan9" || runtime.GOOS == "wasip1" {
		t.Skip("no block is guarded in this build")
	}
	for _, p := range forms {
		t.Run(p.name, func(t *testing.T) {
			test(t, p)
			check(t, "close", p.Close())
		})
	}
}

// take allocates a block.
func (p form) take(t *testing.T) []byte {
	t.Helper()
	b, err := p.ways[0].call()
	fatal.If(t, err)
	return b
}

// touch reads the byte at an offset of a block, or writes it, and returns what Fault tells of that.
func touch(b []byte, offset int, write bool) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			if err = poolrt.Fault(r); err == nil {
				panic(r)
			}
		}
	}()
	at := (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), offset))
	if write {
		*at = 7
		return nil
	}
	if *at == 99 { // which no test writes
		return errNone
	}
	return nil
}

// reported requires an error of a kind that has all the words.
func reported(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is missing in:\n%v", w, err)
		}
	}
}

// check requires that a call has succeeded.
func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
