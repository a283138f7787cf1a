package poolimpl

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// regionAlign is the alignment that Windows gives each reservation.
const regionAlign = 64 << 10

// mapsMemory says that memory is mapped.
const mapsMemory = true

// mapMemory reserves addresses, and commits size bytes of them at a multiple of align. Windows releases a reservation only as a whole, so what a large
// alignment needs more stays reserved, without memory, until the chunk goes back.
func mapMemory(size, align int64) (Chunk, error) {
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
	// The mapping is not Go memory: its address may become a pointer here, and only here.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return Chunk{Ptr: p, Addr: uint64(addr), Size: size, Origin: uint64(origin)}, nil
}

func unmapMemory(c Chunk) error {
	return os.NewSyscallError("VirtualFree", windows.VirtualFree(uintptr(c.Origin), 0, windows.MEM_RELEASE))
}
