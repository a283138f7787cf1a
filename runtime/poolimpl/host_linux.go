package poolimpl

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// With MAP_NORESERVE, the system counts a mapping only once it is touched. So a small machine can reserve chunks as large as the memory of a GPU.
func init() { mapFlags |= unix.MAP_NORESERVE }

// Linux joins neighbours that differ in nothing. Pages that nobody may touch have nothing to dump. A system that refuses the advice joins them, and is slower.
func init() { setApart = func(pages []byte) { _ = unix.Madvise(pages, unix.MADV_DONTDUMP) } }

// The protection of a few pages is changed in about a microsecond, as Go itself does: to tell its scheduler of a call that may wait takes a tenth as long.
func init() {
	mprotect = func(pages []byte, protection int) error {
		_, _, errno := unix.RawSyscall(unix.SYS_MPROTECT, uintptr(unsafe.Pointer(unsafe.SliceData(pages))), uintptr(len(pages)), uintptr(protection))
		if errno != 0 {
			return errno
		}
		return nil
	}
}
