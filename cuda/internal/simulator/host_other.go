//go:build !unix

package simulator

// newHostMemory returns zeroed memory. It is in the Go heap, where objects do not move; the simulator's reference keeps it alive.
func newHostMemory(bytes uint64) []byte { return make([]byte, bytes) }

func dropHostMemory([]byte) {}
