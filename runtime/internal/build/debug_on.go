//go:build pooldebug

// Package build tells how a program was built, in constants. The compiler drops code that a constant excludes.
package build

// Debug says that the tag pooldebug is set.
const Debug = true
