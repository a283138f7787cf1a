//go:build !linux

package cuda

// adviseHuge does nothing: only Linux takes the advice.
func adviseHuge([]byte) {}
