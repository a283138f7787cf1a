//go:build !pooldebug

package registry

// Debug says that the tag pooldebug is not set.
const Debug = false
