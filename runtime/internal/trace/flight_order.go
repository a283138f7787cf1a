//go:build pooltrace && !race && (amd64 || 386 || s390x)

package trace

// flightLock is no lock: these machines let everybody see stores in the order in which they were made, so the number of a slot, written first and last,
// tells who reads whether the rest is whole. Plain stores cost nothing beside atomic ones.
type flightLock struct{}

func (*flightLock) lock()   {}
func (*flightLock) unlock() {}
