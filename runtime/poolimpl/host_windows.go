package poolimpl

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// regionAlign is the alignment of each reservation of Windows.
const regionAlign = 64 << 10

func init() { system, guardPages = mappings{}, mappings{} }

// mappings is the source that maps memory.
type mappings struct{}

// Alloc reserves addresses, and commits size bytes of them at a multiple of align. Windows releases a reservation only as a whole, so the addresses that
// a large alignment needs in addition stay reserved, without memory, until the chunk is returned.
func (mappings) Alloc(size, align int64) (Chunk, error) {
	spare := max(align-regionAlign, 0)
	origin, err := windows.VirtualAlloc(0, uintptr(size+spare), windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return Chunk{}, os.NewSyscallError("VirtualAlloc", err)
	}
	addr := (origin + uintptr(align) - 1) &^ (uintptr(align) - 1)
	if _, err := windows.VirtualAlloc(addr, uintptr(size), windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
		_ = windows.VirtualFree(origin, 0, windows.MEM_RELEASE)
		return Chunk{}, os.NewSyscallError("VirtualAlloc", err)
	}
	// The mapping is not Go memory, so its address may be converted to a pointer, but only here.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return Chunk{Ptr: p, Addr: uint64(addr), Size: size, Origin: uint64(origin)}, nil
}

func (mappings) Free(c Chunk) error {
	return os.NewSyscallError("VirtualFree", windows.VirtualFree(uintptr(c.Origin), 0, windows.MEM_RELEASE))
}

// Reserve implements addresses.
func (mappings) Reserve(size, align int64) (Chunk, error) {
	origin, err := windows.VirtualAlloc(0, uintptr(size+align), windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return Chunk{}, os.NewSyscallError("VirtualAlloc", err)
	}
	addr := (origin + uintptr(align) - 1) &^ (uintptr(align) - 1)
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr)) // as in Alloc
	return Chunk{Ptr: p, Addr: uint64(addr), Size: size, Origin: uint64(origin)}, nil
}

// Release implements addresses.
func (m mappings) Release(c Chunk) error { return m.Free(c) }

// Grow implements addresses.
func (mappings) Grow(c Chunk) error {
	_, err := windows.VirtualAlloc(uintptr(c.Addr), uintptr(c.Size), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return os.NewSyscallError("VirtualAlloc", err)
}

// Shrink implements addresses.
func (mappings) Shrink(c Chunk) error {
	return os.NewSyscallError("VirtualFree", windows.VirtualFree(uintptr(c.Addr), uintptr(c.Size), windows.MEM_DECOMMIT))
}

// Blank implements addresses. Pages without memory cannot be read.
func (mappings) Blank(Chunk) error { return nil }

// AllocApart reserves addresses, and commits all but the first and the last page.
func (mappings) AllocApart(size int64) (Chunk, error) {
	page := int64(os.Getpagesize())
	origin, err := windows.VirtualAlloc(0, uintptr(size+2*page), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return Chunk{}, os.NewSyscallError("VirtualAlloc", err)
	}
	addr := origin + uintptr(page)
	if _, err := windows.VirtualAlloc(addr, uintptr(size), windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
		_ = windows.VirtualFree(origin, 0, windows.MEM_RELEASE)
		return Chunk{}, os.NewSyscallError("VirtualAlloc", err)
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr)) // as in Alloc
	return Chunk{Ptr: p, Addr: uint64(addr), Size: size, Origin: uint64(origin)}, nil
}

// Seal and Unseal change the protection of the pages.
func (mappings) Seal(c Chunk) error { return protect(c, windows.PAGE_NOACCESS) }

func (mappings) Unseal(c Chunk) error { return protect(c, windows.PAGE_READWRITE) }

// protect sets what may be done with the pages of a chunk.
func protect(c Chunk, protection uint32) error {
	var was uint32
	return os.NewSyscallError("VirtualProtect", windows.VirtualProtect(uintptr(c.Addr), uintptr(c.Size), protection, &was))
}

// FreeApart releases the reservation.
func (m mappings) FreeApart(c Chunk) error { return m.Free(c) }
