package cuda

import (
	"syscall"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// exported makes the driver export something, as a descriptor that no program started meanwhile or later inherits by accident: it would keep the memory
// for as long as it runs.
func exported(export func() (int, abi.Result)) (fd int, r abi.Result) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if fd, r = export(); r == abi.Success {
		syscall.CloseOnExec(fd)
	}
	return fd, r
}
