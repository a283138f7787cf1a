package poolimpl

import "sync"

// unused is memory that no caller has, and that the driver did not take back. It is safe for concurrent use: pools add to it without their lock.
type unused struct {
	mu   sync.Mutex
	list []Chunk
}

func (u *unused) add(chunks ...Chunk) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = append(u.list, chunks...)
}

// take removes all chunks, and returns them.
func (u *unused) take() []Chunk {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.list
	u.list = nil
	return list
}

func (u *unused) count() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return int64(len(u.list))
}

func (u *unused) bytes() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return sizeOf(u.list)
}

// retryUnused gives the driver again what no caller has and it did not take back. The lock is released meanwhile.
func (d *DriverBlocks) retryUnused(e *Engine) {
	if d.unused.count() == 0 {
		return
	}
	chunks := d.unused.take()
	defer func() { // also if the driver's side panics: the chunk of that call is lost then
		d.unused.add(chunks...)
		d.post(e)
	}()
	source := d.source
	e.activity.visit(func() {
		for range chunks {
			c := chunks[0]
			chunks = chunks[1:]
			if !d.tryFree(source, e.observed.debug.sourceChunk(c), c.Size) {
				chunks = append(chunks, c)
			}
		}
	})
}

// unreturned counts what no caller has, and the driver did not take back.
func (d *DriverBlocks) unreturned() (n, bytes int64) { return d.unused.count(), d.unused.bytes() }

// tryFree gives the source what no caller has. If the source takes it, the claim ends.
func (d *DriverBlocks) tryFree(source StreamSource, c Chunk, size int64) (taken bool) {
	holds := false
	defer func() {
		if !holds {
			d.unclaim(size)
		}
	}()
	holds = source.Free(c) != nil
	return !holds
}
