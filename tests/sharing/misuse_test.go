//go:build cudasim

package sharing

import (
	"encoding/binary"
	"errors"
	"hash/crc64"
	"net"
	"os"
	"path/filepath"
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
