//go:build !linux && !windows

package simulator

// thread would name the calling thread; here all count as one.
func thread() int { return 0 }
