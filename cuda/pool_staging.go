package cuda

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// staging has pieces of page-locked memory, to which streams copy asynchronously. All have the same length; they are allocated many at a time and
// kept until the pool is closed.
type staging struct {
	site  site
	mu    sync.Mutex
	spare [][]byte
	all   []unsafe.Pointer // the memory that is divided into pieces
}

// stagingAtOnce is how many are allocated at a time.
const stagingAtOnce = 256

// Staging returns a piece.
func (l *staging) Staging(bytes int) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.spare) == 0 {
		p, r := l.site.drv.MemHostAlloc(l.site.ctx, uint64(bytes*stagingAtOnce), abi.HostPortable)
		if err := check(r, "MemHostAlloc", l.site.dev, int64(bytes*stagingAtOnce)); err != nil {
			return nil, err
		}
		l.all = append(l.all, p)
		l.spare = slices.AppendSeq(l.spare, slices.Chunk(unsafe.Slice((*byte)(p), bytes*stagingAtOnce), bytes))
	}
	last := len(l.spare) - 1
	s := l.spare[last]
	l.spare = l.spare[:last]
	return s, nil
}

// ReleaseStaging releases a piece.
func (l *staging) ReleaseStaging(s []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spare = append(l.spare, s)
}

// release frees the memory. All pieces have been released.
func (l *staging) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var left []unsafe.Pointer
	var errs []error
	for _, p := range l.all {
		if err := check(l.site.drv.MemFreeHost(l.site.ctx, p), "MemFreeHost", l.site.dev, 0); err != nil {
			errs, left = append(errs, err), append(left, p)
		}
	}
	l.all, l.spare = left, nil
	return errors.Join(errs...)
}
