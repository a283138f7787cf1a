//go:build pooltrace && (race || !(amd64 || 386 || s390x))

package trace

import "sync"

// flightLock orders those who write and read slots where the machine does not, or the race detector looks on.
type flightLock struct{ mu sync.Mutex }

func (l *flightLock) lock()   { l.mu.Lock() }
func (l *flightLock) unlock() { l.mu.Unlock() }
