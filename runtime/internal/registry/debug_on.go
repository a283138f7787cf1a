//go:build pooldebug

package registry

// Debug reports whether the program was built with the tag pooldebug.
const Debug = true
