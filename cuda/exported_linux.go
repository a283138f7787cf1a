package cuda

import (
	"syscall"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// exported makes the driver export something, as a descriptor that child processes do not inherit by accident: they would keep the memory as long as
// they run.
func exported(export func() (int, abi.Result)) (fd int, r abi.Result) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if fd, r = export(); r == abi.Success {
		syscall.CloseOnExec(fd)
	}
	return fd, r
}
