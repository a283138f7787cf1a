//go:build !linux && !windows

package simulator

// thread returns the same for all threads: the system's number of a thread is not available.
func thread() int { return 0 }
