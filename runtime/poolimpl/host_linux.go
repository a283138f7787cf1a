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

func init() {
	dropPages = func(pages []byte) error { return unix.Madvise(pages, unix.MADV_DONTNEED) }
	residentPages = func(addr, bytes uint64) (resident uint64) {
		page := uint64(unix.Getpagesize())
		is := make([]byte, (bytes+page-1)/page)
		if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(addr), uintptr(bytes), uintptr(unsafe.Pointer(unsafe.SliceData(is)))); errno != 0 {
			return 0
		}
		for _, in := range is {
			resident += uint64(in&1) * page
		}
		return min(resident, bytes)
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
