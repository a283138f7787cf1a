package cuda

import "golang.org/x/sys/unix"

// advise asks for huge pages, without which memory is touched and page-locked more slowly, and for memory that a fork leaves out: it would have to copy pages that
// are page-locked. Memory for which the system takes no advice serves, too.
func advise(b []byte) {
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	_ = unix.Madvise(b, unix.MADV_DONTFORK)
}
