//go:build pooltrace

package tracing

import (
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/debugging/pools"
)

// size is the length of a block in the tests.
const size = 40

// subject is a pool of any form whose blocks are freed one by one.
type subject struct {
	name     string
	alloc    func() ([]byte, error)
	free     func([]byte) error
	snapshot func() *poolrt.Snapshot
	close    func() error
}

type spanPool interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
	Snapshot() *poolrt.Snapshot
	CloseForce() error
}

type itemPool interface {
	Alloc() (*[size]byte, error)
	Free(*[size]byte) error
	Snapshot() *poolrt.Snapshot
	CloseForce() error
}

func spans(name string, p spanPool) subject {
	return subject{name, func() ([]byte, error) { return p.Alloc(size) }, p.Free, p.Snapshot, p.CloseForce}
}

func items(name string, p itemPool) subject {
	alloc := func() ([]byte, error) {
		r, err := p.Alloc()
		if err != nil {
			return nil, err
		}
		return r[:], nil
	}
	return subject{name, alloc, func(b []byte) error { return p.Free((*[size]byte)(unsafe.Pointer(unsafe.SliceData(b)))) }, p.Snapshot, p.CloseForce}
}

func subjects() []subject {
	return []subject{
		items("none", new(pools.AlonePool)), items("mutex", new(pools.ItemPool)), items("sharded", new(pools.StrictPool)),
		spans("heap none", new(pools.SinglePool)), spans("heap mutex", new(pools.HeapPool)), spans("heap sharded", new(pools.ShardPool)),
		spans("binned", new(pools.BinnedPool)), spans("classes", new(pools.ClassedPool)), spans("ring", new(pools.RingPool)), spans("direct", new(pools.DirectPool)),
	}
}

// each runs a test with each of them.
func each(t *testing.T, f func(t *testing.T, p subject)) {
	for _, p := range subjects() {
		t.Run(p.name, func(t *testing.T) {
			t.Cleanup(func() { check(t, p.close()) })
			f(t, p)
		})
	}
}

// take returns a block.
func (p subject) take(t *testing.T) []byte {
	t.Helper()
	b, err := p.alloc()
	check(t, err)
	return b
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func place(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
