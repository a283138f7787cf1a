//go:build cgo

// Command malloc measures C's malloc and free for another process, by loops in C and by calls from Go.
package main

/*
#cgo CFLAGS: -O2
#include <stdint.h>
#include <stdlib.h>

typedef struct step { uint32_t slot; uint64_t bytes; } step;
typedef struct load { step *steps; long count, at, live; void **blocks; } load;

static step *next(load *l) {
	step *s = &l->steps[l->at];
	if (++l->at == l->count)
		l->at = 0;
	return s;
}

static void fill(load *l) {
	for (long i = 0; i < l->live; i++)
		l->blocks[i] = malloc(next(l)->bytes);
}

static void drop(load *l) {
	for (long i = 0; i < l->live; i++) {
		free(l->blocks[i]);
		l->blocks[i] = 0;
	}
}

static void churn(load *l, long n) {
	if (!l->blocks[0])
		fill(l);
	for (long i = 0; i < n; i++) {
		step *s = next(l);
		free(l->blocks[s->slot]);
		l->blocks[s->slot] = malloc(s->bytes);
	}
}

static long batches(load *l, long n) {
	long done = 0;
	for (; done < n; done += l->live) {
		fill(l);
		drop(l);
	}
	return done;
}

static void give(uintptr_t at) { free((void *)at); }
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/bench/harness"
)

func main() {
	if err := harness.Serve(os.Stdin, os.Stdout, peers()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// peers are malloc called by C code, and malloc called by Go code.
func peers() []harness.Peer {
	fromGo := harness.Called("malloc from Go", 0, func() (harness.Calls, error) {
		return harness.Calls{
			Take: func(bytes int64) (uint64, error) {
				p := C.malloc(C.size_t(bytes))
				if p == nil {
					return 0, errNoMemory
				}
				return uint64(uintptr(p)), nil
			},
			Give: func(at uint64, _ int64) error {
				C.give(C.uintptr_t(at))
				return nil
			},
		}, nil
	})
	return []harness.Peer{{Name: "malloc", Open: inC, Once: once}, fromGo}
}

var errNoMemory = errors.New("malloc: out of memory")

// inC runs the loads by loops in C.
func inC(loads []*harness.Load) (all []harness.Worker, end func() error, err error) {
	var made []*C.load
	for _, l := range loads {
		c := copied(l)
		made = append(made, c)
		if l.Batch {
			all = append(all, func(n int) (int, error) { return int(C.batches(c, C.long(n))), nil })
		} else {
			all = append(all, func(n int) (int, error) { C.churn(c, C.long(n)); return n, nil })
		}
	}
	return all, func() error {
		for _, c := range made {
			C.drop(c)
			C.free(unsafe.Pointer(c.blocks))
			C.free(unsafe.Pointer(c.steps))
			C.free(unsafe.Pointer(c))
		}
		return nil
	}, nil
}

// copied copies a load into memory of C.
func copied(l *harness.Load) *C.load {
	steps := l.Steps()
	c := (*C.load)(C.calloc(1, C.sizeof_load))
	c.steps = (*C.step)(C.calloc(C.size_t(len(steps)), C.sizeof_step))
	c.blocks = (*unsafe.Pointer)(C.calloc(C.size_t(l.Live), C.size_t(unsafe.Sizeof(uintptr(0)))))
	c.count, c.live = C.long(len(steps)), C.long(l.Live)
	copies := unsafe.Slice(c.steps, len(steps))
	for i, s := range steps {
		copies[i] = C.step{slot: C.uint32_t(s.Slot), bytes: C.uint64_t(l.Bytes(s))}
	}
	return c
}

func once(bytes int64) (time.Duration, error) {
	start := time.Now()
	p := C.malloc(C.size_t(bytes))
	took := time.Since(start)
	if p == nil {
		return 0, errNoMemory
	}
	C.free(p)
	return took, nil
}
