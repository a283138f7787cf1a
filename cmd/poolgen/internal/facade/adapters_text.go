package facade

// The parts of files with adapters. Words that begin with $ are replaced.

// lostText says what becomes of blocks that nobody returns.
const lostText = `A block that is never put back stays live, as no finalizer frees
// it: parts of it may be in use for longer than the slice that was handed out.`

// cacheText is the adapter in the place of a sync.Pool.
const cacheText = `
// $NAMECache is a pool in the place of a sync.Pool of byte slices; $SAFETY.
// Where the pool has no block, Get makes a slice on the Go heap instead, which Stats counts. $LOST
type $NAMECache struct {
	pool    *$POOL
	adapter poolimpl.Adapter
}

// New$NAMECache returns a cache of slices from a pool.
func New$NAMECache(pool *$POOL) *$NAMECache { return &$NAMECache{pool: pool} }

// Get returns a slice of length n.$CONTENT
func (a *$NAMECache) Get(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	b, err := a.pool.Alloc(n)
	if err != nil {
		return a.adapter.Make(n)
	}
	return b
}

// Put takes back a slice of Get: all of it, or a part that has its beginning and the rest of its capacity. Anything else is left as it is, and
// Stats counts it.
func (a *$NAMECache) Put(b []byte) {
	b = b[:cap(b)]
	if err := a.pool.Free(b); err != nil {
		a.adapter.NotFreed(a.pool.ready(), b, err)
	}
}

// Stats counts the slices that were not blocks of the pool.
func (a *$NAMECache) Stats() poolrt.AdapterStats { return a.adapter.Stats() }
`

// writerText is the adapter in the place of a bytes.Buffer.
const writerText = `
// $NAMEWriter collects bytes in a block of a pool, in the place of a bytes.Buffer. Its methods are those of [poolrt.Writer]: Write, WriteString, WriteByte,
// ReadFrom and WriteTo; Bytes, Len and Cap; Reset, and Close, which frees the block.
type $NAMEWriter struct{ poolrt.Writer }

// New$NAMEWriter returns an empty writer for a pool. It takes a block when it is first written to.
func New$NAMEWriter(pool *$POOL) *$NAMEWriter { return &$NAMEWriter{poolrt.WriterOf(pool)} }
`

// buffersText is the adapter for gRPC. Each Get makes a new pointer: one that was used again could still be held by somebody who has put it back.
const buffersText = `
// $NAMEBuffers gives the blocks of a pool to gRPC: it is a mem.BufferPool of google.golang.org/grpc/mem; $SAFETY.
// Where the pool has no block, Get makes a buffer on the Go heap instead, which Stats counts. $LOST
type $NAMEBuffers struct {
	pool    *$POOL
	adapter poolimpl.Adapter
}

// New$NAMEBuffers returns a source of buffers from a pool.
func New$NAMEBuffers(pool *$POOL) *$NAMEBuffers { return &$NAMEBuffers{pool: pool} }

// Get returns a buffer of length n.$CONTENT
func (a *$NAMEBuffers) Get(n int) *[]byte {
	if n <= 0 {
		b := make([]byte, n)
		return &b
	}
	// gRPC never puts back a buffer with a capacity of at most 1,024. A larger block is in use for as long as
	// one message is decoded, and keeps to the limit; slices of the Go heap would be garbage, beyond the
	// limit.
	size := n
	if size < 1025 {
		size = 1025
	}
	b, err := a.pool.Alloc(size)
	if err != nil {
		b = a.adapter.Make(n)
	}
	b = b[:n]
	return &b
}

// Put takes back a buffer of Get: all of it, or a part that has its beginning and the rest of its capacity. Anything else is left as it is, and
// Stats counts it. The buffer is nil afterwards: putting it back once more does nothing.
func (a *$NAMEBuffers) Put(buffer *[]byte) {
	if buffer == nil {
		return
	}
	b := (*buffer)[:cap(*buffer)]
	*buffer = nil
	if err := a.pool.Free(b); err != nil {
		a.adapter.NotFreed(a.pool.ready(), b, err)
	}
}

// Stats counts the buffers that were not blocks of the pool.
func (a *$NAMEBuffers) Stats() poolrt.AdapterStats { return a.adapter.Stats() }
`

// allocatorText is the adapter for Arrow.
const allocatorText = `
// $NAMEAllocator gives the blocks of a pool to Arrow: it is a memory.Allocator of github.com/apache/arrow-go; $SAFETY.
// Blocks begin at multiples of $ALIGNMENT bytes. The interface has no errors: where the pool refuses a request, Allocate and Reallocate panic with its error,
// which errors.Is and errors.As know. Reallocate has changed nothing then.
type $NAMEAllocator struct {
	pool    *$POOL
	adapter poolimpl.Adapter
}

// New$NAMEAllocator returns an allocator of blocks from a pool.
func New$NAMEAllocator(pool *$POOL) *$NAMEAllocator { return &$NAMEAllocator{pool: pool} }

// Allocate returns n bytes, all of them 0.
func (a *$NAMEAllocator) Allocate(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	b, err := a.pool.Alloc(n)
	if err != nil {
		panic(poolimpl.Unserved(err))
	}
$CLEARALL	return b
}

// Reallocate returns n bytes that begin with those of b: b itself if its capacity suffices, else a new block, in which the other bytes are 0. Then b is
// freed.
func (a *$NAMEAllocator) Reallocate(n int, b []byte) []byte {
	if 0 <= n && n <= cap(b) {
		return b[:n]
	}
	larger, err := a.pool.Alloc(n)
	if err != nil {
		panic(poolimpl.Unserved(err))
	}
	copy(larger, b)
$CLEARREST	a.Free(b)
	return larger
}

// Free takes back what Allocate or Reallocate has returned: all of it, or a part that has its beginning and the rest of its capacity. Anything else is left as
// it is, and Stats counts it.
func (a *$NAMEAllocator) Free(b []byte) {
	b = b[:cap(b)]
	if len(b) == 0 {
		return
	}
	if err := a.pool.Free(b); err != nil {
		a.adapter.NotFreed(a.pool.ready(), b, err)
	}
}

// Stats counts the slices freed that were not blocks of the pool.
func (a *$NAMEAllocator) Stats() poolrt.AdapterStats { return a.adapter.Stats() }
`
