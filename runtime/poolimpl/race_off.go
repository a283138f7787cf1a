//go:build !race

package poolimpl

// raceDetector says that the race detector does not look on.
const raceDetector = false

// StoreRelaxed writes a word that the caller alone writes, and that others may read at the same time: whoever needs the value learns of it in some other
// order, and nobody else is misled by the one before. It is atomic.StoreUint32 without the wait for others, which costs as much as a lock.
// The machine writes words whole.
func StoreRelaxed(p *uint32, v uint32) { *p = v }
