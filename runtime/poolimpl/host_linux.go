package poolimpl

import "golang.org/x/sys/unix"

// With MAP_NORESERVE, the system counts a mapping only once it is touched. So a small machine can reserve chunks as large as the memory of a GPU.
func init() { mapFlags |= unix.MAP_NORESERVE }

// Linux joins neighbours that differ in nothing. Pages that nobody may touch have nothing to dump. A system that refuses the advice joins them, and is slower.
func init() { setApart = func(pages []byte) { _ = unix.Madvise(pages, unix.MADV_DONTDUMP) } }
