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
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// The errors of files that no pool can be imported from name the kind of file, and the files do not change.
func TestBadFiles(t *testing.T) {
	machine(t, sim.Config{})
	pipe, other, err := os.Pipe()
	rig.Check(t, "pipe", err)
	defer func() { rig.Check(t, "close", errors.Join(pipe.Close(), other.Close())) }()
	plain := rig.Must(os.Open(os.DevNull))
	defer func() { rig.Check(t, "close", plain.Close()) }()
	closed := rig.Must(os.Open(os.DevNull))
	rig.Check(t, "close", closed.Close())
	l := rig.Must(net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "socket"), Net: "unix"}))
	stream := rig.Must(l.File())
	defer func() { rig.Check(t, "close", errors.Join(stream.Close(), l.Close())) }()
	row, virtual := new(RowPool), new(VirtualRowPool)
	byPool, byHandles := rig.Must(row.Export()), rig.Must(virtual.Export())
	defer func() {
		rig.Check(t, "close", errors.Join(byPool.Close(), byHandles.Close(), row.Close(), virtual.Close()))
	}()
	for _, c := range []struct {
		name          string
		file          *os.File
		pool, virtual string // parts of the errors
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
				rig.Check(t, c.name, err)
				rig.Check(t, "close", p.Close())
				continue
			}
			if !errors.Is(err, poolrt.ErrBadFile) || !strings.Contains(err.Error(), kind) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// A file of a pool of virtual memory is for one importer. An importer can open blocks that were shared before the exporting pool was closed.
func TestUsedFiles(t *testing.T) {
	machine(t, sim.Config{})
	p := new(VirtualRowPool)
	f := rig.Must(p.Export())
	rig.Refused(t, "another device", rig.Second(ImportVirtualRowPool(f, poolrt.OnDevice(1))), poolrt.ErrUnsupported)
	rig.Refused(t, "no device", rig.Second(ImportVirtualRowPool(f, poolrt.OnDevice(9))), poolrt.ErrUnsupported)
	rig.Refused(t, "no limit", rig.Second(ImportVirtualRowPool(f, poolrt.WithLimit(-1))), poolrt.ErrBadSize)
	q := rig.Must(ImportVirtualRowPool(f, poolrt.OnDevice(0), poolrt.WithName("theirs"), nil))
	rig.Refused(t, "twice", rig.Second(ImportVirtualRowPool(f)), poolrt.ErrBadFile)
	token := rig.Must(p.Share(rig.Must(p.Alloc(1))))
	rig.Refused(t, "twice", rig.Second(ImportVirtualRowPool(f)), poolrt.ErrBadFile)
	rig.Check(t, "close", q.Close())
	rig.Refused(t, "after another", rig.Second(ImportVirtualRowPool(f)), poolrt.ErrBadFile)
	late := rig.Must(p.Export())
	rig.Check(t, "close", p.CloseForce())
	orphan := rig.Must(ImportVirtualRowPool(late)) // the shared blocks can still be opened
	if b := rig.Must(orphan.Open(token)); b.Len() != 1 {
		t.Errorf("%d items", b.Len())
	}
	rig.Refused(t, "twice", rig.Second(ImportVirtualRowPool(late)), poolrt.ErrBadFile)
	rig.Check(t, "close", errors.Join(orphan.CloseForce(), f.Close(), late.Close()))
}

// reseal corrects the checksum of a changed description.
func reseal(s cuda.Shared) cuda.Shared {
	binary.LittleEndian.PutUint64(s[144:], crc64.Checksum(s[:144], crc64.MakeTable(crc64.ECMA)))
	return s
}

// A description that was changed, even with a correct checksum, or is of another pool, opens no block and has no effect.
func TestBadDescriptions(t *testing.T) {
	for _, name := range []string{"Cell", "Row", "VirtualCell", "VirtualRow", "VirtualFrame"} {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{})
			here, foreign := poolOf(subjects[name].fresh()), poolOf(subjects[name].fresh())
			f := rig.Must(here.export())
			there := poolOf(rig.Must(subjects[name].open(f)))
			rig.Check(t, "close", f.Close())
			token := rig.Must(here.share(rig.Must(here.alloc(7))))
			try := func(what string, s cuda.Shared) {
				t.Helper()
				before := there.stats()
				if err := rig.Second(there.call("Open", s)); !errors.Is(err, poolrt.ErrForeign) && !errors.Is(err, poolrt.ErrUnsupported) {
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
				if name == "VirtualFrame" && (c.what == "half an item" || c.what == "another item") { // its items are bytes
					continue
				}
				if strings.HasPrefix(name, "Virtual") && c.what == "another device" { // the device was checked when the pool was imported
					continue
				}
				s := token
				binary.LittleEndian.PutUint64(s[c.at:], c.n)
				if c.what == "another pool" && !strings.HasPrefix(name, "Virtual") {
					rig.Must(there.call("Open", token)) // sets the exporter of the imported pool
				}
				try(c.what, reseal(s))
			}
			try("foreign", rig.Must(foreign.share(rig.Must(foreign.alloc(7)))))
			for _, other := range []string{"Binned", "VirtualBinned"} {
				p := poolOf(subjects[other].fresh())
				try(other, rig.Must(p.share(rig.Must(p.alloc(32)))))
				rig.Check(t, "close", p.do("CloseForce"))
			}
			if name == "Cell" {
				p := new(RowPool)
				try("a row", rig.Must(p.Share(rig.Must(p.Alloc(2)))))
				rig.Check(t, "close", p.CloseForce())
			}
			rig.Check(t, "close", there.do("CloseForce"))
			rig.Refused(t, "closed", rig.Second(there.call("Open", token)), poolrt.ErrClosed)
			rig.Check(t, "close", here.do("CloseForce"))
			rig.Check(t, "close", foreign.do("CloseForce"))
		})
	}
}
