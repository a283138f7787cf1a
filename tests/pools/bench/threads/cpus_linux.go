package threads

import (
	"math/bits"
	"syscall"
	"unsafe"
)

// set is a set of processors in the form of the system calls, one bit each.
type set [16]uint

// cpus lists the processors that the program may use.
func cpus() (list []int) {
	var all set
	if _, _, failed := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(all), uintptr(unsafe.Pointer(&all))); failed != 0 {
		return nil
	}
	for i := range len(all) * bits.UintSize {
		if all[i/bits.UintSize]>>(i%bits.UintSize)&1 != 0 {
			list = append(list, i)
		}
	}
	return list
}

// stay keeps the calling thread on some of the processors. Where that is not allowed, nothing happens.
func stay(on ...int) {
	var some set
	for _, i := range on {
		some[i/bits.UintSize] |= 1 << (i % bits.UintSize)
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(some), uintptr(unsafe.Pointer(&some)))
}
