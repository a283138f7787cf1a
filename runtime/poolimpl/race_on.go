//go:build race

package poolimpl

import "sync/atomic"

// raceDetector says that the race detector looks on.
const raceDetector = true

// StoreRelaxed is an atomic store where the race detector looks on.
func StoreRelaxed(p *uint32, v uint32) { atomic.StoreUint32(p, v) }
