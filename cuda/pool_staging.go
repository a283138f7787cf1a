package cuda

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// staging has pieces of page-locked memory, to which streams copy asynchronously. All have the same length; they are allocated many at a time and
// kept until the pool is trimmed or closed.
type staging struct {
	site    site
	mu      sync.Mutex
	spare   [][]byte
	all     [][]byte // the memory that is divided into pieces
	machine uint64   // simulated machine of the memory
}

// stagingAtOnce is how many are allocated at a time.
const stagingAtOnce = 256

// Staging returns a piece.
func (l *staging) Staging(bytes int) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renew()
	if len(l.spare) == 0 {
		p, r := l.site.drv.MemHostAlloc(l.site.ctx, uint64(bytes*stagingAtOnce), abi.HostPortable)
		if err := check(r, "MemHostAlloc", l.site.dev, int64(bytes*stagingAtOnce)); err != nil {
			return nil, err
		}
		memory := unsafe.Slice((*byte)(p), bytes*stagingAtOnce)
		l.all = append(l.all, memory)
		l.spare = slices.AppendSeq(l.spare, slices.Chunk(memory, bytes))
	}
	last := len(l.spare) - 1
	s := l.spare[last]
	l.spare = l.spare[:last]
	return s, nil
}

// Staged reports whether a piece still exists.
func (l *staging) Staged(s []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.has(s)
}

// ReleaseStaging releases a piece.
func (l *staging) ReleaseStaging(s []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.has(s) {
		l.spare = append(l.spare, s)
	}
}

// release frees the memory, unless streams may copy to it.
func (l *staging) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.renew(); len(l.spare) < len(l.all)*stagingAtOnce {
		return nil
	}
	var left [][]byte
	var errs []error
	for _, memory := range l.all {
		if err := check(l.site.drv.MemFreeHost(l.site.ctx, unsafe.Pointer(&memory[0])), "MemFreeHost", l.site.dev, 0); err != nil {
			errs, left = append(errs, err), append(left, memory)
		}
	}
	l.all = left
	l.spare = slices.DeleteFunc(l.spare, func(s []byte) bool { return !l.has(s) })
	return errors.Join(errs...)
}

// has reports whether a piece is a part of the memory. The caller holds the lock.
func (l *staging) has(s []byte) bool {
	l.renew()
	at := uintptr(unsafe.Pointer(&s[0]))
	return slices.ContainsFunc(l.all, func(memory []byte) bool { return at-uintptr(unsafe.Pointer(&memory[0])) < uintptr(len(memory)) })
}

// renew drops everything if there is another simulated machine, because it went with the earlier one. The caller holds the lock.
func (l *staging) renew() {
	if machine := l.site.simulated(); machine != l.machine {
		l.machine, l.spare, l.all = machine, nil, nil
	}
}
