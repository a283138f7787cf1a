package simulator

import "golang.org/x/sys/windows"

// thread names the calling thread of the system.
func thread() int { return int(windows.GetCurrentThreadId()) }
