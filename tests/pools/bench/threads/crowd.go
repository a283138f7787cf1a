package threads

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// work runs about n operations and returns how many it ran. That may be none, if it needs blocks from another worker.
type work func(n int) int

// session is a subject while it is measured: the work of each worker, and a function that ends it.
type session struct {
	workers []work
	end     func()
}

// piece is the number of operations of a worker between two readings of the clock.
const piece = 1024

// crowd runs workers at the same time, each on a processor of its own.
type crowd struct{ cpus []int }

// run has the workers of a session work for a while, after so many first operations of each, and returns the time of one operation over all, in
// ns: what a clock on the wall shows, divided by the operations of all workers. An error is that with which a worker panicked.
//
// Each worker keeps the thread that it runs on where it is, as the system sometimes leaves two on one processor for as long as they
// run. The goroutines are not locked to their threads: a lock that makes them sleep would cost more for that.
func (c crowd) run(s session, first int, span time.Duration) (float64, error) {
	var ready, begun atomic.Int32
	var all sync.WaitGroup
	rates, errs := make([]float64, len(s.workers)), make([]error, len(s.workers))
	for i, w := range s.workers {
		all.Go(func() {
			ready.Add(1)
			for begun.Load() == 0 {
				runtime.Gosched()
			}
			if len(c.cpus) > 0 {
				stay(c.cpus[i%len(c.cpus)])
				defer stay(c.cpus...)
			}
			errs[i] = try(func() { rates[i] = w.rate(first, span) })
		})
	}
	for ready.Load() < int32(len(s.workers)) {
		runtime.Gosched()
	}
	begun.Store(1)
	all.Wait()
	sum := 0.0
	for _, r := range rates {
		sum += r
	}
	return 1 / sum, errors.Join(errs...)
}

// rate is the number of operations of a worker per ns, without the first ones and whatever comes with them.
func (w work) rate(first int, span time.Duration) float64 {
	w(first)
	ops, start := 0, time.Now()
	took := time.Duration(0)
	for took < span {
		ops += w(piece)
		took = time.Since(start)
	}
	return float64(ops) / float64(took.Nanoseconds())
}

// try calls f and returns the error with which it panics.
func try(f func()) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case runtime.Error:
			panic(x)
		case error:
			err = x
		default:
			panic(x)
		}
	}()
	f()
	return nil
}

// each makes n workers, or something for each of them.
func each[T any](n int, of func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}
