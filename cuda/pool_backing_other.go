//go:build !linux

package cuda

// advise does nothing: only Linux takes the advice.
func advise([]byte) {}
