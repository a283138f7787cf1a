//go:build pooltrace && (race || !(amd64 || 386 || s390x))

package trace

import "sync"

// flightLock orders writers and readers of slots on machines that may reorder stores, and for the race detector.
type flightLock struct{ mu sync.Mutex }

func (l *flightLock) lock()   { l.mu.Lock() }
func (l *flightLock) unlock() { l.mu.Unlock() }
