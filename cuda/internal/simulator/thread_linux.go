package simulator

import "syscall"

// thread names the calling thread of the system.
func thread() int { return syscall.Gettid() }
