//go:build !cudasim

package gpu

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/sharing"
)

// shared is a pool whose blocks can be shared.
type shared[B any] interface {
	Alloc(n int) (B, error)
	Free(B) error
	FreeAsync(B, cuda.Stream) error
	Export() (*os.File, error)
	Share(B) (cuda.Shared, error)
	Open(cuda.Shared) (B, error)
	Stats() poolrt.Stats
	Close() error
	CloseForce() error
}

// span is a block of such a pool.
type span interface {
	Addr() cuda.DevicePtr
	Bytes() int64
}

// sharer is a kind of pool, with the functions that the two processes call.
type sharer struct {
	name      string
	exporting func(t *testing.T, l *lab, end string)
	importing func(l *lab)
	alone     func(t *testing.T, l *lab)
}

func sharerOf[B span, P shared[B]](name string, fresh func() P, open func(*os.File, ...poolrt.Option) (P, error), lengths []int) sharer {
	return sharer{
		name:      name,
		exporting: func(t *testing.T, l *lab, end string) { exporting(t, l, name, end, fresh(), lengths) },
		importing: func(l *lab) { importing(l, open) },
		alone:     func(t *testing.T, l *lab) { alone(t, l, fresh(), open) },
	}
}

var (
	some = []int{1, 100, 1000, 12_000}
	many = slices.Repeat([]int{1000}, 300) // each block has a handle
)

// sharers are the kinds of pools. memcheck takes imported memory for what was at its address before, so Direct, whose blocks are small, comes behind those that may get
// its addresses.
var sharers = []sharer{
	sharerOf("Row", func() *sharing.RowPool { return new(sharing.RowPool) }, sharing.ImportRowPool, some),
	sharerOf("Aligned", func() *sharing.AlignedPool { return new(sharing.AlignedPool) }, sharing.ImportAlignedPool, some),
	sharerOf("Direct", func() *sharing.DirectPool { return new(sharing.DirectPool) }, sharing.ImportDirectPool, some),
	sharerOf("VirtualRow", func() *sharing.VirtualRowPool { return new(sharing.VirtualRowPool) }, sharing.ImportVirtualRowPool, append(some, 200_000)),
	sharerOf("VirtualClasses", func() *sharing.VirtualClassesPool { return new(sharing.VirtualClassesPool) }, sharing.ImportVirtualClassesPool, some),
	sharerOf("VirtualRing", func() *sharing.VirtualRingPool { return new(sharing.VirtualRingPool) }, sharing.ImportVirtualRingPool, some),
	sharerOf("Many", func() *sharing.ManyPool { return new(sharing.ManyPool) }, sharing.ImportManyPool, many),
}

// importerOf names, in the environment of the other process, the pool that it imports. Its file 3 is the pool's, and 4 and 5 are pipes for
// descriptions and answers.
const importerOf = "POOLGEN_TEST_IMPORTER"

// Two processes use the same memory: kernels of one read what kernels of the other have written, whichever process ends first.
func TestShare(t *testing.T) {
	if name := os.Getenv(importerOf); name != "" {
		at := slices.IndexFunc(sharers, func(s sharer) bool { return s.name == name })
		sharers[at].importing(newLab(t, 0))
		return
	}
	for _, s := range sharers {
		for _, end := range []string{"importer first", "importer killed", "exporter first"} {
			if end == "exporter first" && !strings.HasPrefix(s.name, "Virtual") {
				continue // pools of the driver need the importer before they share
			}
			t.Run(s.name+" "+end, func(t *testing.T) {
				l := newLab(t, 0)
				needsSharing(t, l.device)
				s.exporting(t, l, end)
			})
		}
	}
}

func needsSharing(t *testing.T, d cuda.Device) {
	t.Helper()
	pools, err := d.Attribute(cuda.MemPoolHandleTypes)
	if err != nil || pools&int(cuda.HandleFileDescriptor) == 0 {
		t.Skip("pools cannot be shared by file descriptors", err)
	}
	if n, err := d.Attribute(cuda.FileDescriptorsSupported); n == 0 {
		t.Skip("memory cannot be shared by file descriptors", err)
	}
}

// exporting is the first process: it fills blocks, shares them, and verifies what the other process has written to them.
func exporting[B span, P shared[B]](t *testing.T, l *lab, name, end string, p P, lengths []int) {
	on := l.streams(1)[0]
	var blocks []B
	var lines []string
	fill := func(n int) {
		b, err := p.Alloc(n)
		l.ok("alloc", err)
		value := byte(len(blocks)%100 + 1)
		l.write(b.Addr(), b.Bytes(), value, on)
		s, err := p.Share(b)
		l.ok("share", err)
		blocks, lines = append(blocks, b), append(lines, fmt.Sprint(hex.EncodeToString(s[:]), " ", value))
	}
	half := len(lengths) / 2
	for _, n := range lengths[:half] { // before there is an importer
		fill(n)
	}
	f, err := p.Export()
	l.ok("export", err)
	o := start(l, name, f)
	for _, n := range lengths[half:] {
		fill(n)
	}
	l.ok("wait", on.Synchronize())
	for i, b := range blocks {
		o.say(l, lines[i])
		l.expect(b.Addr(), b.Bytes(), byte(i%100+101), on)
	}
	l.ok("wait", on.Synchronize())
	switch end {
	case "importer killed":
		l.ok("kill", o.Process.Kill())
		_ = o.Wait()
		b, err := p.Alloc(10)
		l.ok("alloc", err)
		_, err = p.Share(b)
		l.ok("share", err)
		l.ok("close", p.CloseForce())
	case "exporter first":
		l.ok("close", p.CloseForce())
		o.end(l)
	default:
		o.end(l)
		for _, b := range blocks {
			l.expect(b.Addr(), b.Bytes(), 250, on)
			l.ok("free", p.FreeAsync(b, on))
		}
		l.ok("close", p.Close())
	}
}

// importing is the other process: it verifies each block, writes another value, and at the end a third value.
func importing[B span, P shared[B]](l *lab, open func(*os.File, ...poolrt.Option) (P, error)) {
	pool, lines, answers := os.NewFile(3, "pool"), bufio.NewScanner(os.NewFile(4, "lines")), os.NewFile(5, "answers")
	p, err := open(pool)
	l.ok("import", err)
	l.ok("close", pool.Close())
	on := l.streams(1)[0]
	var blocks []B
	for lines.Scan() {
		if lines.Text() == "end" {
			break
		}
		var token string
		var value byte
		_, err := fmt.Sscan(lines.Text(), &token, &value)
		l.ok("line", err)
		var s cuda.Shared
		_, err = hex.Decode(s[:], []byte(token))
		l.ok("line", err)
		b, err := p.Open(s)
		l.ok("open", err)
		l.expect(b.Addr(), b.Bytes(), value, on)
		l.write(b.Addr(), b.Bytes(), byte(len(blocks)%100+101), on)
		l.ok("wait", on.Synchronize())
		blocks = append(blocks, b)
		_, err = fmt.Fprintln(answers, "done")
		l.ok("answer", err)
	}
	for i, b := range blocks { // even if the other process has closed its pool
		l.expect(b.Addr(), b.Bytes(), byte(i%100+101), on)
		l.write(b.Addr(), b.Bytes(), 250, on)
		if i%2 == 0 {
			l.ok("free on a stream", p.FreeAsync(b, on))
			continue
		}
		l.ok("wait", on.Synchronize())
		l.ok("free", p.Free(b))
	}
	l.ok("close", p.Close())
	if s := p.Stats(); s.Live != 0 || s.Reserved != 0 || s.Allocs != int64(len(blocks)) {
		l.Errorf("%+v", s)
	}
	_, err = fmt.Fprintln(answers, "done")
	l.ok("answer", err)
}

// Files that were not exported by a pool are refused, whatever the driver does with them.
func TestShareBadFile(t *testing.T) {
	l := newLab(t, 0)
	needsSharing(t, l.device)
	f, err := os.Open(os.DevNull)
	l.ok("open", err)
	_, err = sharing.ImportRowPool(f)
	t.Log(err)
	if err == nil {
		t.Error("a pool was imported from " + os.DevNull)
	}
	if _, err = sharing.ImportVirtualRowPool(f); !errors.Is(err, poolrt.ErrBadFile) {
		t.Error(err)
	}
	l.ok("close", f.Close())
}

// A process may import its own pool, if the driver allows it.
func TestShareAlone(t *testing.T) {
	for _, s := range sharers {
		t.Run(s.name, func(t *testing.T) {
			l := newLab(t, 0)
			needsSharing(t, l.device)
			s.alone(t, l)
		})
	}
}

func alone[B span, P shared[B]](t *testing.T, l *lab, p P, open func(*os.File, ...poolrt.Option) (P, error)) {
	on := l.streams(1)[0]
	f, err := p.Export()
	l.ok("export", err)
	b, err := p.Alloc(1000)
	l.ok("alloc", err)
	s, err := p.Share(b)
	l.ok("share", err)
	q, err := open(f)
	l.ok("close", f.Close())
	if err == nil {
		var same B
		if same, err = q.Open(s); err == nil {
			l.write(b.Addr(), b.Bytes(), 7, on)
			l.expect(same.Addr(), same.Bytes(), 7, on)
			l.ok("wait", on.Synchronize())
			l.ok("free", q.Free(same))
		}
		l.ok("close", q.Close())
	}
	l.ok("free", p.Free(b))
	l.ok("close", p.Close())
	if err != nil {
		t.Skip("the driver does not allow it: ", err)
	}
}
