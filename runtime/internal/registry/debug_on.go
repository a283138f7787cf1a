//go:build pooldebug

package registry

// Debug says that the tag pooldebug is set.
const Debug = true
