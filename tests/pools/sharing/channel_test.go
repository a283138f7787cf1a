//go:build cudasim && linux

package sharing

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// message is a message of a pool of virtual memory to its importers.
type message struct {
	bytes []byte
	files []int
}

// messages receives the messages in the file of an exported pool.
func messages(t *testing.T, f *os.File) (list []message) {
	t.Helper()
	for {
		b, rights := make([]byte, 1<<16), make([]byte, 1<<12)
		n, m, _, _, err := syscall.Recvmsg(int(f.Fd()), b, rights, syscall.MSG_DONTWAIT|syscall.MSG_CMSG_CLOEXEC)
		if errors.Is(err, syscall.EAGAIN) {
			return list
		}
		rig.Check(t, "receive", err)
		msg := message{bytes: b[:n]}
		if m > 0 {
			msg.files = rig.Must(syscall.ParseUnixRights(&rig.Must(syscall.ParseSocketControlMessage(rights[:m]))[0]))
		}
		t.Cleanup(func() { closeAll(msg.files) })
		list = append(list, msg)
	}
}

func closeAll(files []int) {
	for _, fd := range files {
		_ = syscall.Close(fd)
	}
}

// forge returns a file through which an importer gets forged messages; hangUp closes the other end.
func forge(t *testing.T, list ...message) (f *os.File, hangUp func()) {
	t.Helper()
	ends := rig.Must(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0))
	for _, m := range list {
		var rights []byte
		if len(m.files) > 0 {
			rights = syscall.UnixRights(m.files...)
		}
		rig.Check(t, "send", syscall.Sendmsg(ends[0], m.bytes, rights, nil, 0))
	}
	return os.NewFile(uintptr(ends[1]), "forged"), func() { rig.Check(t, "close", syscall.Close(ends[0])) }
}

// changed returns a copy of a message with one of its numbers replaced.
func (m message) changed(at int, n uint64) message {
	m.bytes = bytes.Clone(m.bytes)
	binary.LittleEndian.PutUint64(m.bytes[at:], n)
	return m
}

func (m message) cut(n int) message {
	m.bytes = m.bytes[:n]
	return m
}

func (m message) version(n byte) message {
	m.bytes = bytes.Clone(m.bytes)
	m.bytes[3] = n
	return m
}

// Whatever messages come, no memory or file is lost, and the error names the fault.
func TestForgedMessages(t *testing.T) {
	machine(t, sim.Config{})
	p := new(VirtualRowPool)
	f := rig.Must(p.Export())
	token := rig.Must(p.Share(rig.Must(p.Alloc(10))))
	list := messages(t, f)
	if len(list) != 2 || len(list[1].files) != 1 {
		t.Fatalf("%d messages", len(list))
	}
	hello, handles := list[0], list[1]
	for _, c := range []struct {
		name  string
		hello message
		says  string
	}{
		{"short", hello.cut(20), "its first message has 20 bytes"},
		{"tiny", hello.cut(3), "a message is none of poolgen's"},
		{"strange", message{bytes: []byte("GET / HTTP/1.1")}, "a message is none of poolgen's"},
		{"newer", hello.version(2), "another version of poolgen's runtime, 2"},
		{"other", handles, "each importer needs a file of its own"},
		{"no size", hello.changed(40, 0), "a reservation of 0 bytes"},
		{"half a page", hello.changed(40, 3<<20+1), "where pages have 2097152"},
		{"endless", hello.changed(40, 1<<63), "a reservation of"},
	} {
		file, hangUp := forge(t, c.hello)
		for range 2 {
			if _, err := ImportVirtualRowPool(file); !errors.Is(err, poolrt.ErrBadFile) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		hangUp()
		rig.Check(t, "close", file.Close())
	}
	two := handles
	two.files = append(two.files, two.files[0])
	twice := handles
	twice.bytes = append(bytes.Clone(handles.bytes), handles.bytes[8:24]...)
	for _, c := range []struct {
		name    string
		handles message
		says    string
	}{
		{"hello again", hello, "a message is of kind 1"},
		{"cut", handles.cut(15), "a message has 15 bytes"},
		{"no file", message{bytes: handles.bytes}, "a message of 1 handles came with 0"},
		{"a file too many", two, "a message of 1 handles came with 2"},
		{"too long", message{bytes: append(bytes.Clone(handles.bytes), make([]byte, 16*300)...)}, "a message has"},
		{"outside", handles.changed(8, 1<<40), "outside or on other memory"},
		{"too far", handles.changed(8, 1<<64-2<<20), "outside or on other memory"},
		{"too large", handles.changed(16, 1<<40), "outside or on other memory"},
		{"nothing", handles.changed(16, 0), "outside or on other memory"},
		{"half a page", handles.changed(8, 1), "MemMap"},
		{"another file", message{handles.bytes, []int{int(f.Fd())}}, "MemImportFromShareableHandle"},
		{"nothing came", message{}, "its memory has not come"},
	} {
		list := []message{hello, c.handles}
		if c.handles.bytes == nil {
			list = list[:1]
		}
		file, hangUp := forge(t, list...)
		q := rig.Must(ImportVirtualRowPool(file))
		for range 2 {
			if _, err := q.Open(token); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		hangUp()
		if _, err := q.Open(token); err == nil {
			t.Errorf("%s: a block was opened at the end", c.name)
		}
		rig.Check(t, "close", errors.Join(q.Close(), file.Close()))
	}
	file, hangUp := forge(t, hello, twice.twofold())
	q := rig.Must(ImportVirtualRowPool(file))
	rig.Must(q.Open(token)) // receiving the same memory twice has no effect
	hangUp()
	rig.Check(t, "close", errors.Join(q.CloseForce(), p.CloseForce(), f.Close(), file.Close()))
}

func (m message) twofold() message {
	m.files = append(m.files, m.files...)
	return m
}

// A channel whose other end is closed is dropped; other channels continue.
func TestChannelGone(t *testing.T) {
	machine(t, sim.Config{})
	p := new(VirtualDirectPool)
	gone, left := rig.Must(p.Export()), rig.Must(p.Export())
	rig.Check(t, "close", gone.Close())
	q := rig.Must(ImportVirtualDirectPool(left))
	for range 3 {
		rig.Must(q.Open(rig.Must(p.Share(rig.Must(p.Alloc(1000))))))
	}
	rig.Check(t, "close", q.CloseForce()) // closes its end although the file is open
	for range 3 {
		rig.Must(p.Share(rig.Must(p.Alloc(1000))))
	}
	rig.Check(t, "close", errors.Join(p.CloseForce(), left.Close()))
}

// A channel that is not read fills up, and the error reports it. When it is read, no message is missing.
func TestChannelFull(t *testing.T) {
	machine(t, sim.Config{})
	p := new(ManyPool)
	f := rig.Must(p.Export())
	q := rig.Must(ImportManyPool(f))
	last := rig.Must(p.Alloc(1000))
	tokens := []cuda.Shared{rig.Must(p.Share(last))}
	var err error
	for err == nil {
		last = rig.Must(p.Alloc(1000))
		var s cuda.Shared
		if s, err = p.Share(last); err == nil {
			tokens = append(tokens, s)
		}
	}
	if !strings.Contains(err.Error(), "the process that imported the pool has not opened a block for long") {
		t.Error(err)
	}
	t.Logf("%d messages fit", len(tokens))
	rig.Refused(t, "share", rig.Second(p.Share(last)), poolrt.ErrLimit)
	g := rig.Must(p.Export()) // gets the same blocks in a few messages
	other := rig.Must(ImportManyPool(g))
	rig.Must(q.Open(tokens[0]))
	tokens = append(tokens, rig.Must(p.Share(last)))
	for i, s := range tokens {
		if i > 0 {
			rig.Must(q.Open(s))
		}
		rig.Must(other.Open(s))
	}
	rig.Check(t, "close", errors.Join(q.CloseForce(), other.CloseForce(), p.CloseForce(), f.Close(), g.Close()))
}

// If a message has more files than the process may open, the error reports it, and the message is not lost.
func TestTooManyFiles(t *testing.T) {
	machine(t, sim.Config{})
	p := new(ManyPool)
	var tokens []cuda.Shared
	for range 150 {
		tokens = append(tokens, rig.Must(p.Share(rig.Must(p.Alloc(1000)))))
	}
	f := rig.Must(p.Export())
	q := rig.Must(ImportManyPool(f))
	var was syscall.Rlimit
	rig.Check(t, "limit", syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	tight := was
	tight.Cur = uint64(descriptors(t)) + 100
	rig.Check(t, "limit", syscall.Setrlimit(syscall.RLIMIT_NOFILE, &tight))
	for range 2 {
		if _, err := q.Open(tokens[0]); err == nil || !strings.Contains(err.Error(), "raise its limit on open files") {
			t.Error(err)
		}
	}
	rig.Check(t, "limit", syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was))
	for _, s := range tokens {
		rig.Must(q.Open(s))
	}
	rig.Check(t, "close", errors.Join(q.CloseForce(), p.CloseForce(), f.Close()))
}
