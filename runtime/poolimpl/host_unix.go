//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package poolimpl

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapsMemory says that memory is mapped.
const mapsMemory = true

// mapMemory maps size bytes. For an alignment above the size of a page it maps more, and unmaps the rest at both ends.
func mapMemory(size, align int64) (Chunk, error) {
	page := int64(os.Getpagesize())
	length := wholePages(size)
	spare := max(align-page, 0)
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(length+spare), unix.PROT_READ|unix.PROT_WRITE, mapFlags)
	if err != nil {
		return Chunk{}, os.NewSyscallError("mmap", err)
	}
	head := -int64(uintptr(p)) & (max(align, page) - 1)
	chunk := unsafe.Add(p, head)
	tail := unsafe.Add(chunk, length)
	if err := errors.Join(unmap(p, head), unmap(tail, spare-head)); err != nil {
		// If the system's table of mappings is full, neither end can be unmapped. It stays mapped, and untouched.
		return Chunk{}, errors.Join(err, unmap(chunk, length))
	}
	return Chunk{Ptr: chunk, Addr: uint64(uintptr(chunk)), Size: size}, nil
}

// unmap unmaps pages, or none.
func unmap(p unsafe.Pointer, length int64) error {
	if length == 0 {
		return nil
	}
	return os.NewSyscallError("munmap", unix.MunmapPtr(p, uintptr(length)))
}

func unmapMemory(c Chunk) error { return unmap(c.Ptr, wholePages(c.Size)) }

// wholePages rounds up to whole pages, which the system maps.
func wholePages(size int64) int64 {
	page := int64(os.Getpagesize())
	return (size + page - 1) &^ (page - 1)
}
