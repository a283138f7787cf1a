//go:build cgo && linux

package peers

// #cgo CFLAGS: -O2
// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "loops.h"
import "C"

import "unsafe"

// The list of live blocks takes up as much in C as in Go: otherwise, this does not compile.
var _ = [C.sizeof_block]byte([unsafe.Sizeof([]byte(nil))]byte{})

// Allocator is another allocator.
type Allocator struct {
	Name string
	c    C.allocator
}

// Open returns the allocators that the machine has.
func Open() (all []*Allocator) {
	for _, x := range []struct{ name, library, take, give string }{
		{"glibc", "", "malloc", "free"},
		{"mimalloc 3", "libmimalloc.so.3", "mi_malloc", "mi_free"},
		{"mimalloc 2", "libmimalloc.so.2", "mi_malloc", "mi_free"},
		{"snmalloc", "libsnmallocshim.so", "malloc", "free"},
		{"jemalloc", "libjemalloc.so.2", "malloc", "free"},
		{"tcmalloc", "libtcmalloc_minimal.so.4", "tc_malloc", "tc_free"},
	} {
		var library *C.char
		if x.library != "" {
			library = C.CString(x.library)
		}
		a := &Allocator{Name: x.name}
		if C.find(library, C.CString(x.take), C.CString(x.give), &a.c) != 0 {
			all = append(all, a)
		}
	}
	return all
}

// Pairs allocates and frees one block at a time.
func (a *Allocator) Pairs(n int) (all []Worker) {
	c := a.c
	for range n {
		all = append(all, func(n int) int { return int(C.pairs(c, Size, C.long(n))) })
	}
	return all
}

// Churn replaces live blocks by the steps of each worker. The last function that it returns frees them.
func (a *Allocator) Churn(steps [][]Step, live int) (all []Worker, end func()) {
	var loads []*C.churner
	for _, s := range steps {
		c := a.churner(s)
		c.live = C.long(live)
		loads = append(loads, c)
		all = append(all, func(n int) int { return int(C.churn(c, C.long(n))) })
	}
	return all, func() {
		for _, c := range loads {
			C.end_churn(c)
			C.free(unsafe.Pointer(c.steps))
			C.free(unsafe.Pointer(c))
		}
	}
}

// churner is a load in C memory.
func (a *Allocator) churner(s []Step) *C.churner {
	c := (*C.churner)(C.calloc(1, C.sizeof_churner))
	c.a = a.c
	c.steps = copied(s)
	c.count = C.long(len(s))
	return c
}

func copied(s []Step) *C.step {
	p := (*C.step)(C.malloc(C.size_t(len(s)) * C.sizeof_step))
	copy(unsafe.Slice((*Step)(unsafe.Pointer(p)), len(s)), s)
	return p
}

// MovedPairs sends each block to the next worker, which frees it.
func (a *Allocator) MovedPairs(n int) ([]Worker, func()) { return a.moved(make([][]Step, n)) }

// MovedChurn is MovedPairs with different sizes.
func (a *Allocator) MovedChurn(steps [][]Step) ([]Worker, func()) { return a.moved(steps) }

func (a *Allocator) moved(steps [][]Step) (all []Worker, end func()) {
	var boxes []*C.mailbox
	var senders []*C.sender
	for range steps {
		boxes = append(boxes, C.new_mailbox())
	}
	for i, s := range steps {
		x := (*C.sender)(C.calloc(1, C.sizeof_sender))
		x.c.a, x.in, x.out = a.c, boxes[i], boxes[(i+1)%len(boxes)]
		if s != nil {
			x.c.steps, x.c.count = copied(s), C.long(len(s))
		}
		senders = append(senders, x)
		all = append(all, func(n int) int { return int(C.send_on(x, Size, C.long(n))) })
	}
	return all, func() {
		for _, x := range senders {
			C.end_send(x)
			C.free(unsafe.Pointer(x.c.steps))
			C.free(unsafe.Pointer(x))
		}
	}
}
