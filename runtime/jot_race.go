//go:build race

package runtime

import "sync/atomic"

// Jot is an atomic store where the race detector looks on.
func Jot(p *uint32, v uint32) { atomic.StoreUint32(p, v) }
