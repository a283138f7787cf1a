package harness

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// together runs all workers at the same time for a while. The time of an operation is the elapsed time divided by the operations of all workers.
func together(workers []Worker) func(span time.Duration) (float64, error) {
	return func(span time.Duration) (float64, error) {
		var ready, begun atomic.Int32
		var all sync.WaitGroup
		rates, errs := make([]float64, len(workers)), make([]error, len(workers))
		for i, w := range workers {
			all.Go(func() {
				ready.Add(1)
				for begun.Load() == 0 {
					runtime.Gosched()
				}
				rates[i], errs[i] = rate(w, span)
			})
		}
		for ready.Load() < int32(len(workers)) {
			runtime.Gosched()
		}
		begun.Store(1)
		all.Wait()
		sum := 0.0
		for _, r := range rates {
			sum += r
		}
		if err := errors.Join(errs...); err != nil {
			return 0, err
		}
		return 1 / sum, nil
	}
}

// rate is how many operations a worker does in a ns. Between two readings of the clock the worker does as many as take an eighth of the time.
func rate(w Worker, span time.Duration) (float64, error) {
	if _, err := w(1); err != nil { // takes what is live from then on
		return 0, err
	}
	start, all := time.Now(), 0
	for n := 1; ; {
		done, err := w(n)
		if err != nil {
			return 0, err
		}
		all += done
		took := time.Since(start)
		if took >= span {
			return float64(all) / float64(took.Nanoseconds()), nil
		}
		if took < span/8 {
			n *= 2
		}
	}
}

// again repeats an operation for a while, and returns the median of its times.
func again(once func() (time.Duration, error)) func(span time.Duration) (float64, error) {
	return func(span time.Duration) (float64, error) {
		var times []float64
		for start := time.Now(); len(times) == 0 || time.Since(start) < span; {
			took, err := once()
			if err != nil {
				return 0, err
			}
			times = append(times, float64(took.Nanoseconds()))
		}
		slices.Sort(times)
		return times[len(times)/2], nil
	}
}
