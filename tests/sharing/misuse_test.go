//go:build cudasim

package sharing

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc64"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
)

// Files that no pool can be imported from are told apart, and stay as they are.
func TestBadFiles(t *testing.T) {
	machine(t, sim.Config{})
	pipe, other, err := os.Pipe()
	check(t, "pipe", err)
	defer func() { check(t, "close", errors.Join(pipe.Close(), other.Close())) }()
	plain := must(os.Open(os.DevNull))
	defer func() { check(t, "close", plain.Close()) }()
	closed := must(os.Open(os.DevNull))
	check(t, "close", closed.Close())
	l := must(net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "socket"), Net: "unix"}))
	stream := must(l.File())
	defer func() { check(t, "close", errors.Join(stream.Close(), l.Close())) }()
	row, virtual := new(RowPool), new(VirtualRowPool)
	byPool, byHandles := must(row.Export()), must(virtual.Export())
	defer func() {
		check(t, "close", errors.Join(byPool.Close(), byHandles.Close(), row.Close(), virtual.Close()))
	}()
	for _, c := range []struct {
		name          string
		file          *os.File
		pool, virtual string // what the errors say
	}{
		{"nil", nil, "it is nil", "it is nil"},
		{"closed", closed, "closed file", "closed file"},
		{"plain", plain, "does not take it for a pool", "not that of a pool of allocator device_virtual"},
		{"pipe", pipe, "does not take it for a pool", "not that of a pool of allocator device_virtual"},
		{"socket", stream, "does not take it for a pool", "not that of a pool of allocator device_virtual"},
		{"device_pool", byPool, "", "not that of a pool of allocator device_virtual"},
		{"device_virtual", byHandles, "not that of a pool of allocator device_pool", ""},
	} {
		for kind, try := range map[string]func() (interface{ Close() error }, error){
			c.pool:    func() (interface{ Close() error }, error) { return ImportRowPool(c.file) },
			c.virtual: func() (interface{ Close() error }, error) { return ImportVirtualRowPool(c.file) },
		} {
			p, err := try()
			if kind == "" {
				check(t, c.name, err)
				check(t, "close", p.Close())
				continue
			}
			if !errors.Is(err, runtime.ErrBadFile) || !strings.Contains(err.Error(), kind) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// A file of virtual memory is for one importer, and good as long as the exporting pool is.
func TestUsedFiles(t *testing.T) {
	machine(t, sim.Config{})
	p := new(VirtualRowPool)
	f := must(p.Export())
	refused(t, "another device", second(ImportVirtualRowPool(f, runtime.OnDevice(1))), runtime.ErrUnsupported)
	refused(t, "no device", second(ImportVirtualRowPool(f, runtime.OnDevice(9))), runtime.ErrUnsupported)
	refused(t, "no limit", second(ImportVirtualRowPool(f, runtime.WithLimit(-1))), runtime.ErrBadSize)
	q := must(ImportVirtualRowPool(f, runtime.OnDevice(0), runtime.WithName("theirs"), nil))
	refused(t, "twice", second(ImportVirtualRowPool(f)), runtime.ErrBadFile)
	token := must(p.Share(must(p.Alloc(1))))
	refused(t, "twice", second(ImportVirtualRowPool(f)), runtime.ErrBadFile)
	check(t, "close", q.Close())
	refused(t, "after another", second(ImportVirtualRowPool(f)), runtime.ErrBadFile)
	late := must(p.Export())
	check(t, "close", p.CloseForce())
	orphan := must(ImportVirtualRowPool(late)) // what was shared is there still
	if b := must(orphan.Open(token)); b.Len() != 1 {
		t.Errorf("%d items", b.Len())
	}
	refused(t, "twice", second(ImportVirtualRowPool(late)), runtime.ErrBadFile)
	check(t, "close", errors.Join(orphan.CloseForce(), f.Close(), late.Close()))
}

// reseal makes the sum of a description right again.
func reseal(s cuda.Shared) cuda.Shared {
	binary.LittleEndian.PutUint64(s[144:], crc64.Checksum(s[:144], crc64.MakeTable(crc64.ECMA)))
	return s
}

// A description that was changed, or is of another pool, opens nothing and changes nothing, even if it was changed on purpose.
func TestBadDescriptions(t *testing.T) {
	for _, name := range []string{"Cell", "Row", "VirtualCell", "VirtualRow", "VirtualFrame"} {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{})
			here, foreign := poolOf(subjects[name].fresh()), poolOf(subjects[name].fresh())
			f := must(here.export())
			there := poolOf(must(subjects[name].open(f)))
			check(t, "close", f.Close())
			token := must(here.share(must(here.alloc(7))))
			try := func(what string, s cuda.Shared) {
				t.Helper()
				before := there.stats()
				if err := second(there.call("Open", s)); !errors.Is(err, runtime.ErrForeign) && !errors.Is(err, runtime.ErrUnsupported) {
					t.Errorf("%s: %v", what, err)
				}
				if after := there.stats(); after != before {
					t.Errorf("%s: %+v, before %+v", what, after, before)
				}
			}
			try("none", cuda.Shared{})
			for i := range token {
				s := token
				s[i] ^= 0x10
				try("changed", s)
			}
			for _, c := range []struct {
				what string
				at   int
				n    uint64
			}{
				{"another pool", 8, 1}, {"another device", 24, 1}, {"another item", 40, 16}, {"no item", 40, 0}, {"no bytes", 48, 0},
				{"half an item", 48, 5}, {"too many bytes", 48, 1 << 40}, {"bytes beyond", 48, 1<<64 - 32}, {"outside", 72, 1 << 40}, {"far outside", 72, 1<<64 - 32},
			} {
				if name == "VirtualFrame" && (c.what == "half an item" || c.what == "another item") { // of bytes
					continue
				}
				if strings.HasPrefix(name, "Virtual") && c.what == "another device" { // it was looked at when the pool was imported
					continue
				}
				s := token
				binary.LittleEndian.PutUint64(s[c.at:], c.n)
				if c.what == "another pool" && !strings.HasPrefix(name, "Virtual") {
					must(there.call("Open", token)) // from now on it knows which
				}
				try(c.what, reseal(s))
			}
			try("foreign", must(foreign.share(must(foreign.alloc(7)))))
			for _, other := range []string{"Binned", "VirtualBinned"} {
				p := poolOf(subjects[other].fresh())
				try(other, must(p.share(must(p.alloc(32)))))
				check(t, "close", p.do("CloseForce"))
			}
			if name == "Cell" {
				p := new(RowPool)
				try("a row", must(p.Share(must(p.Alloc(2)))))
				check(t, "close", p.CloseForce())
			}
			check(t, "close", there.do("CloseForce"))
			refused(t, "closed", second(there.call("Open", token)), runtime.ErrClosed)
			check(t, "close", here.do("CloseForce"))
			check(t, "close", foreign.do("CloseForce"))
		})
	}
}

// Blocks that are none, or not any more, cannot be shared.
func TestShareRefused(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{})
			p, q := poolOf(subjects[name].fresh()), poolOf(subjects[name].fresh())
			foreign := must(q.alloc(10))
			refused(t, "in an unused pool", second(p.share(foreign)), runtime.ErrForeign)
			b := must(p.alloc(10))
			refused(t, "foreign", second(p.share(foreign)), runtime.ErrForeign)
			if p.has("Free") {
				live := must(p.alloc(10))
				check(t, "free", p.do("Free", b))
				refused(t, "free", second(p.share(b)), runtime.ErrInvalidFree)
				check(t, "free", p.do("Free", live))
			}
			if p.has("FreeAsync") {
				s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
				b := must(p.alloc(10))
				check(t, "free", p.do("FreeAsync", b, s))
				refused(t, "parked", second(p.share(b)), runtime.ErrInvalidFree)
				check(t, "close", s.Close())
			}
			if slicer, ok := b.(interface{ Len() int }); ok && slicer.Len() == 10 && p.has("Free") {
				b := must(p.alloc(10))
				part := poolOf(b).MethodByName("Slice").Call(poolOf(0).args(3, 9))[0].Interface()
				refused(t, "a part", second(p.share(part)), runtime.ErrInvalidFree)
			}
			check(t, "close", p.do("CloseForce"))
			refused(t, "closed", second(p.share(b)), runtime.ErrClosed)
			refused(t, "closed", second(p.export()), runtime.ErrClosed)
			check(t, "close", q.do("CloseForce"))
		})
	}
}

// What an imported pool has not.
func TestImportedRefuses(t *testing.T) {
	for _, name := range []string{"Cell", "Row", "VirtualRow", "Ring", "Spill", "Direct"} {
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		f := must(here.export())
		there := poolOf(must(subjects[name].open(f)))
		check(t, "close", f.Close())
		mine := must(here.alloc(10))
		token := must(here.share(mine))
		refused(t, "open at home", second(here.call("Open", token)), runtime.ErrUnsupported)
		b := must(there.call("Open", token))
		refused(t, "alloc", second(there.alloc(1)), runtime.ErrUnsupported)
		refused(t, "share", second(there.share(b)), runtime.ErrUnsupported)
		refused(t, "export", second(there.export()), runtime.ErrUnsupported)
		refused(t, "free of another pool's", there.do("Free", mine), runtime.ErrForeign)
		refused(t, "limit", there.do("SetLimit", int64(0)), runtime.ErrLive)
		args := []any{context.Background()}
		if there.MethodByName("AllocContext").Type().NumIn() == 2 {
			args = append(args, 1)
		}
		refused(t, "alloc with a context", second(there.call("AllocContext", args...)), runtime.ErrUnsupported)
		if there.has("DriverHandle") {
			refused(t, "driver's pool", second(there.call("DriverHandle")), runtime.ErrUnsupported)
		}
		if there.has("Reset") {
			refused(t, "reset", there.do("Reset"), runtime.ErrLive)
		}
		check(t, "trim", second(there.call("Trim", int64(0))))
		check(t, "free", there.do("Free", b))
		check(t, "limit", there.do("SetLimit", int64(9)))
		refused(t, "above the limit", second(there.call("Open", token)), runtime.ErrTooLarge)
		check(t, "close", there.do("Close"))
		check(t, "close", here.do("CloseForce"))
	}
}

// A limit bounds what is open at a time.
func TestImportLimit(t *testing.T) {
	machine(t, sim.Config{})
	p := new(RowPool)
	f := must(p.Export())
	q := must(ImportRowPool(f, runtime.WithLimit(1000)))
	a, b := must(p.Share(must(p.Alloc(20)))), must(p.Share(must(p.Alloc(20))))
	first := must(q.Open(a))
	refused(t, "two", second(q.Open(b)), runtime.ErrLimit)
	check(t, "free", q.Free(first))
	must(q.Open(b))
	check(t, "close", errors.Join(q.CloseForce(), p.CloseForce(), f.Close()))
}

// A pool whose allocator in force cannot be shared says so; where another stands in that can, it is shared like that.
func TestFallback(t *testing.T) {
	const virtualMemory, memoryPools = 102, 115
	machine(t, sim.Config{})
	sim.SetAttribute(0, virtualMemory, 0)
	p := new(StandPool)
	f := must(p.Export())
	q := must(ImportStandPool(f))
	b := must(q.Open(must(p.Share(must(p.Alloc(100))))))
	if got, _ := q.Effective(); got != "device_pool" || q.Requested() != "device_virtual" || b.Len() != 100 {
		t.Error(got)
	}
	check(t, "close", errors.Join(q.CloseForce(), p.CloseForce(), f.Close()))
	sim.SetAttribute(0, memoryPools, 0)
	p = new(StandPool)
	c := must(p.Alloc(1))
	refused(t, "export", second(p.Export()), runtime.ErrUnsupported)
	refused(t, "share", second(p.Share(c)), runtime.ErrUnsupported)
	check(t, "free", p.Free(c))
	if n := must(p.Trim(0)); n == 0 {
		t.Error("what was not shared stays")
	}
	check(t, "close", p.Close())
}

// A pool on each device exports that of the current one; what is imported is on one.
func TestEach(t *testing.T) {
	machine(t, sim.Config{})
	p := new(BothPool)
	f := must(p.On(1).Export())
	refused(t, "on the other device", func() error {
		q, err := ImportBothPool(f, runtime.OnDevice(0))
		if err != nil {
			return err
		}
		return errors.Join(second(q.Open(must(p.Share(must(p.On(1).Alloc()))))), q.Close())
	}(), runtime.ErrUnsupported)
	q := must(ImportBothPool(f, runtime.OnDevice(1)))
	b := must(p.On(1).Alloc())
	check(t, "fill", fill(b, 9))
	o := must(q.Open(must(p.Share(b))))
	if !holds(o, 9) || q.On(0) != q || q.Stats().Live != 1 {
		t.Error("another block")
	}
	refused(t, "one of device 0", second(q.Open(must(p.Share(must(p.Alloc()))))), runtime.ErrUnsupported)
	check(t, "free", q.Free(o))
	check(t, "close", errors.Join(q.Close(), p.CloseForce(), f.Close()))
}

// The devices that the pool file names may use what is opened, too.
func TestPeers(t *testing.T) {
	for _, name := range []string{"Seen", "VirtualSeen"} {
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		f := must(here.export())
		there := poolOf(must(subjects[name].open(f)))
		b := must(here.alloc(100))
		o := must(there.call("Open", must(here.share(b))))
		at, n := place(o)
		s := must(cuda.Device(1).NewStream(cuda.NonBlocking))
		check(t, "work of the other device", errors.Join(cuda.MemsetAsync(at, 5, n, s), s.Synchronize()))
		if !holds(b, 5) {
			t.Errorf("%s: it holds something else", name)
		}
		check(t, "close", errors.Join(there.do("CloseForce"), here.do("CloseForce"), f.Close(), s.Close()))
	}
}
