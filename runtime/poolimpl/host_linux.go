package poolimpl

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// With MAP_NORESERVE, the system counts a mapping only once it is touched. So a small machine can reserve chunks as large as the memory of a GPU.
func init() { mapFlags |= unix.MAP_NORESERVE }

// A process whose addresses are limited has none to reserve: what one pool reserves would lack for the chunks of others.
func init() {
	fewAddresses = func() bool {
		var limit unix.Rlimit
		return unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil && limit.Cur != unix.RLIM_INFINITY
	}
}

// Linux joins neighbours that differ in nothing. Pages that nobody may touch have nothing to dump. A system that refuses the advice joins them, and is slower.
func init() { setApart = func(pages []byte) { _ = unix.Madvise(pages, unix.MADV_DONTDUMP) } }

// To change the protection of a few pages takes about a microsecond, and Go's scheduler need not know of the call: to tell it takes a tenth as long. The Go runtime
// calls mmap and madvise for its own pages in the same way.
func init() {
	mprotect = func(pages []byte, protection int) error {
		_, _, errno := unix.RawSyscall(unix.SYS_MPROTECT, uintptr(unsafe.Pointer(unsafe.SliceData(pages))), uintptr(len(pages)), uintptr(protection))
		if errno != 0 {
			return errno
		}
		return nil
	}
}
