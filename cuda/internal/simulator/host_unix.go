//go:build unix

package simulator

import "golang.org/x/sys/unix"

// newHostMemory returns zeroed memory outside the Go heap, or nil if the system has none left. It takes no memory until it is written.
func newHostMemory(bytes uint64) []byte {
	memory, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return memory
}

// dropHostMemory unmaps it: using it afterwards faults.
func dropHostMemory(memory []byte) { _ = unix.Munmap(memory) }
