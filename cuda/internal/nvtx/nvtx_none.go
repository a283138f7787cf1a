//go:build !(cgo && linux && (amd64 || arm64))

// Package nvtx reports ranges and marks to a profiler. In this build, without cgo or for another platform, it does nothing.
package nvtx

// On returns false.
func On() bool { return false }

// Mark does nothing.
func Mark(string) {}

// Push does nothing.
func Push(string) {}

// Pop does nothing.
func Pop() {}

// NameStream does nothing.
func NameStream(uintptr, string) {}
