//go:build (linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris) && !race

package runtime

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapMemory maps size bytes. For an alignment above the page it maps more and gives the surplus back at both ends.
func mapMemory(size, align int64) (Chunk, error) {
	page := int64(os.Getpagesize())
	length := wholePages(size)
	surplus := max(align-page, 0)
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(length+surplus), unix.PROT_READ|unix.PROT_WRITE, mapFlags)
	if err != nil {
		return Chunk{}, os.NewSyscallError("mmap", err)
	}
	head := -int64(uintptr(p)) & (max(align, page) - 1)
	if err := unmapEnds(p, head, length, surplus); err != nil {
		return Chunk{}, err
	}
	p = unsafe.Add(p, head)
	return Chunk{Ptr: p, Addr: uint64(uintptr(p)), Size: size}, nil
}

func unmapEnds(p unsafe.Pointer, head, length, surplus int64) error {
	if head > 0 {
		if err := unix.MunmapPtr(p, uintptr(head)); err != nil {
			return os.NewSyscallError("munmap", err)
		}
	}
	if tail := surplus - head; tail > 0 {
		if err := unix.MunmapPtr(unsafe.Add(p, head+length), uintptr(tail)); err != nil {
			return os.NewSyscallError("munmap", err)
		}
	}
	return nil
}

func unmapMemory(c Chunk) error {
	return os.NewSyscallError("munmap", unix.MunmapPtr(c.Ptr, uintptr(wholePages(c.Size))))
}

// wholePages rounds up to what the system maps in fact.
func wholePages(size int64) int64 {
	page := int64(os.Getpagesize())
	return (size + page - 1) &^ (page - 1)
}
