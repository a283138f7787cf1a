//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package poolimpl

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() { system, guardPages = mappings{}, mappings{} }

// mapFlags are the flags of a mapping. Systems other than Linux need no flag for memory that is not touched: they do not count it.
var mapFlags = unix.MAP_PRIVATE | unix.MAP_ANON

// mappings is the source that maps memory.
type mappings struct{}

// Alloc maps size bytes. For an alignment above the size of a page it maps more, and unmaps the excess at both ends.
func (mappings) Alloc(size, align int64) (Chunk, error) {
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
		// If the system's table of mappings is full, neither end can be unmapped. The ends then stay mapped and untouched.
		return Chunk{}, errors.Join(err, unmap(chunk, length))
	}
	return Chunk{Ptr: chunk, Addr: uint64(uintptr(chunk)), Size: size}, nil
}

// Reserve implements addresses: it maps pages that nobody may touch, and unmaps the excess at both ends.
func (mappings) Reserve(size, align int64) (Chunk, error) {
	spare := align - int64(os.Getpagesize())
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size+spare), unix.PROT_NONE, mapFlags)
	if err != nil {
		return Chunk{}, os.NewSyscallError("mmap", err)
	}
	head := -int64(uintptr(p)) & (align - 1)
	start := unsafe.Add(p, head)
	if err := errors.Join(unmap(p, head), unmap(unsafe.Add(start, size), spare-head)); err != nil {
		return Chunk{}, errors.Join(err, unmap(start, size))
	}
	return Chunk{Ptr: start, Addr: uint64(uintptr(start)), Size: size}, nil
}

// Release implements addresses.
func (mappings) Release(c Chunk) error { return unmap(c.Ptr, c.Size) }

// Grow implements addresses.
func (mappings) Grow(c Chunk) error {
	return os.NewSyscallError("mprotect", unix.Mprotect(unsafeBytes(c.Ptr, c.Size), unix.PROT_READ|unix.PROT_WRITE))
}

// Shrink implements addresses. New pages take the place of the old ones, so the system no longer counts these. Advice that it may forget their content
// would leave them counted, and fails for memory that is locked.
func (mappings) Shrink(c Chunk) error { return remap(c, unix.PROT_NONE) }

// Blank implements addresses.
func (mappings) Blank(c Chunk) error { return remap(c, unix.PROT_READ) }

// remap maps new pages in place of others.
func remap(c Chunk, protection int) error {
	_, err := unix.MmapPtr(-1, 0, c.Ptr, uintptr(c.Size), protection, mapFlags|unix.MAP_FIXED)
	return os.NewSyscallError("mmap", err)
}

// unmap unmaps length bytes; length may be 0.
func unmap(p unsafe.Pointer, length int64) error {
	if length == 0 {
		return nil
	}
	return os.NewSyscallError("munmap", unix.MunmapPtr(p, uintptr(length)))
}

func (mappings) Free(c Chunk) error { return unmap(c.Ptr, wholePages(c.Size)) }

// setApart keeps the system from joining pages with the pages that follow or precede them. Tables of mappings are joined and split where neighbours get the same
// protection and lose it, which takes several times as long as to change it. It is nil on systems for which nothing is known that does so.
var setApart func(pages []byte)

// AllocApart maps pages that nobody may touch, and unseals all but the first and the last.
func (m mappings) AllocApart(size int64) (Chunk, error) {
	page := int64(os.Getpagesize())
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size+2*page), unix.PROT_NONE, mapFlags)
	if err != nil {
		return Chunk{}, os.NewSyscallError("mmap", err)
	}
	inner := unsafe.Add(p, page)
	c := Chunk{Ptr: inner, Addr: uint64(uintptr(inner)), Size: size}
	if setApart != nil {
		setApart(unsafeBytes(p, page))
		setApart(unsafeBytes(unsafe.Add(inner, size), page))
	}
	if err := m.Unseal(c); err != nil {
		return Chunk{}, errors.Join(err, m.FreeApart(c))
	}
	return c, nil
}

// Seal and Unseal change the protection of the pages.
func (mappings) Seal(c Chunk) error { return protect(c, unix.PROT_NONE) }

func (mappings) Unseal(c Chunk) error { return protect(c, unix.PROT_READ|unix.PROT_WRITE) }

// FreeApart unmaps the pages with those beside them.
func (mappings) FreeApart(c Chunk) error {
	page := int64(os.Getpagesize())
	return unmap(unsafe.Add(c.Ptr, -page), c.Size+2*page)
}

// mprotect sets what may be done with pages.
var mprotect = unix.Mprotect

// protect sets what may be done with the pages of a chunk.
func protect(c Chunk, protection int) error {
	return os.NewSyscallError("mprotect", mprotect(unsafeBytes(c.Ptr, c.Size), protection))
}

// wholePages rounds up to whole pages, the unit of mappings.
func wholePages(size int64) int64 {
	page := int64(os.Getpagesize())
	return (size + page - 1) &^ (page - 1)
}
