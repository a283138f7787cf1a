package cuda

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages. Without them, memory is touched and page-locked more slowly, so an error does not matter.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
