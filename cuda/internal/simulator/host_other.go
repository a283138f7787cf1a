//go:build !unix

package simulator

// newHostMemory returns zeroed memory. It lies in the Go heap, where nothing moves; the simulator's reference keeps it alive.
func newHostMemory(bytes uint64) []byte { return make([]byte, bytes) }

func dropHostMemory([]byte) {}
