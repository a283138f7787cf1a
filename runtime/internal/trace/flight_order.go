//go:build pooltrace && !race && (amd64 || 386 || s390x)

package trace

// flightLock does nothing here. On these machines all processors see stores in the order in which they were made, and the number of a slot is written first and last:
// a reader that finds the number unchanged has read a whole event. Plain stores are much cheaper than atomic ones.
type flightLock struct{}

func (*flightLock) lock()   {}
func (*flightLock) unlock() {}
