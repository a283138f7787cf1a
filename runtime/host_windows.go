package runtime

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// regionAlign is the alignment that Windows gives each reservation.
const regionAlign = 64 << 10

// mapMemory reserves address space and commits size bytes of it at an aligned place. Windows can only release a
// reservation whole, so the surplus of a large alignment stays reserved (address space, not memory) until the chunk goes back.
func mapMemory(size, align int64) (Chunk, error) {
	surplus := max(align-regionAlign, 0)
	origin, err := windows.VirtualAlloc(0, uintptr(size+surplus), windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return Chunk{}, os.NewSyscallError("VirtualAlloc", err)
	}
	addr := (origin + uintptr(align) - 1) &^ (uintptr(align) - 1)
	if _, err := windows.VirtualAlloc(addr, uintptr(size), windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
		_ = windows.VirtualFree(origin, 0, windows.MEM_RELEASE)
		return Chunk{}, os.NewSyscallError("VirtualAlloc", err)
	}
	// The mapping is no Go memory: its address may become a pointer here, once, and only here.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return Chunk{Ptr: p, Addr: uint64(addr), Size: size, Origin: uint64(origin)}, nil
}

func unmapMemory(c Chunk) error {
	return os.NewSyscallError("VirtualFree", windows.VirtualFree(uintptr(c.Origin), 0, windows.MEM_RELEASE))
}
