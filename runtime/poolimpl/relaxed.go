package poolimpl

import (
	"sync/atomic"
	"unsafe"

	"github.com/poolgen/poolgen/runtime/internal/build"
)

// StoreRelaxed writes a word that only the caller writes and that others may read at the same time. A reader that needs the new value learns of it through
// another synchronization, and no other reader is misled by the old value. An atomic store would also wait until other processors see the value, which costs
// as much as a lock. Processors write words whole. Under the race detector the store is atomic.
func StoreRelaxed(p *uint32, v uint32) {
	if build.Race {
		atomic.StoreUint32(p, v)
		return
	}
	*p = v
}

// StoreRelaxed16 is StoreRelaxed for half a word.
func StoreRelaxed16(p *uint16, v uint16) {
	if build.Race {
		swapHalf(p, v)
		return
	}
	*p = v
}

// StoreRelaxed64 is StoreRelaxed for a number, which others load atomically. If it takes two words, they may see one half of it before the other.
func StoreRelaxed64(p *atomic.Uint64, v uint64) {
	if build.Race {
		p.Store(v)
		return
	}
	*(*uint64)(unsafe.Pointer(p)) = v
}

// StoreRelaxedPointer is StoreRelaxed for a pointer, which others load atomically. What it points to must have been written before the caller came to know of it.
func StoreRelaxedPointer[T any](p *atomic.Pointer[T], v *T) {
	if build.Race {
		p.Store(v)
		return
	}
	*(**T)(unsafe.Pointer(p)) = v
}

// LoadRelaxed16 reads what StoreRelaxed16 writes.
func LoadRelaxed16(p *uint16) uint16 {
	if build.Race {
		w, half := wordOf(p)
		now := atomic.LoadUint32(w)
		return (*[2]uint16)(unsafe.Pointer(&now))[half]
	}
	return *p
}

// swapHalf stores half a word atomically.
//
//go:noinline
func swapHalf(p *uint16, v uint16) {
	w, half := wordOf(p)
	for {
		old := atomic.LoadUint32(w)
		now := old
		(*[2]uint16)(unsafe.Pointer(&now))[half] = v
		if atomic.CompareAndSwapUint32(w, old, now) {
			return
		}
	}
}

// wordOf returns the word that has a half, and which half it is.
func wordOf(p *uint16) (w *uint32, half uintptr) {
	half = uintptr(unsafe.Pointer(p)) / 2 % 2
	return (*uint32)(unsafe.Add(unsafe.Pointer(p), -2*int(half))), half
}
