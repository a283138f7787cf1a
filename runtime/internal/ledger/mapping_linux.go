package ledger

import (
	"encoding/binary"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapping is the beginning of a file in memory. What another program cuts off is no fault: then the methods report false.
type mapping []byte

// mapped maps bytes of the file, whether it has them yet or not.
func (f *file) mapped(bytes int) (mapping, error) {
	m, err := unix.Mmap(f.fd, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.path, Err: err}
	}
	return m, nil
}

func (m mapping) close() { _ = unix.Munmap(m) }

// read copies words of the file: others may be writing some.
func (m mapping) read(at int64, b []byte) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer m.catch(&ok)
	for i, from := 0, m[at:at+int64(len(b))]; i < len(b); i += 8 {
		binary.NativeEndian.PutUint64(b[i:], atomic.LoadUint64((*uint64)(unsafe.Pointer(&from[i]))))
	}
	return true
}

// store writes eight bytes at once.
func (m mapping) store(at int64, v uint64) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer m.catch(&ok)
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&m[at : at+8][0])), v)
	return true
}

// add adds 1 to four bytes.
func (m mapping) add(at int64) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer m.catch(&ok)
	atomic.AddUint32((*uint32)(unsafe.Pointer(&m[at : at+4][0])), 1)
	return true
}

// catch ends a panic that is a fault of the mapping. It is called deferred.
func (m mapping) catch(ok *bool) {
	switch r := recover().(type) {
	case nil:
	case interface{ Addr() uintptr }:
		if at := r.Addr() - uintptr(unsafe.Pointer(&m[0])); at >= uintptr(len(m)) {
			panic(r)
		}
		*ok = false
	default:
		panic(r)
	}
}

func (f *file) ring() error {
	if f.has < entrySize || !f.page.add(bellAt) {
		return f.cutOff()
	}
	f.page.call(futexWake, 1<<30, nil)
	return nil
}

// bell maps the bell once more: who waits for it may do so longer than the file is open.
func (f *file) bell() (bell, error) { return f.mapped(os.Getpagesize()) }

// Operations of the system call futex, of all processes that have the file.
const futexWait, futexWake = 0, 1

func (m mapping) wait(heard uint32, atMost time.Duration) {
	t := unix.NsecToTimespec(int64(atMost))
	m.call(futexWait, heard, &t)
}

// call calls futex for the bell. What it answers does not matter: whoever waits looks again at the ledger.
func (m mapping) call(op int, v uint32, t *unix.Timespec) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&m[bellAt])), uintptr(op), uintptr(v), uintptr(unsafe.Pointer(t)), 0, 0)
}
