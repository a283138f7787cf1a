//go:build race

package poolimpl

import "sync/atomic"

// StoreRelaxed is an atomic store where the race detector looks on.
func StoreRelaxed(p *uint32, v uint32) { atomic.StoreUint32(p, v) }
