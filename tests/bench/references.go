package main

//lint:file-ignore SA2001 a lock that protects nothing is what is measured

import (
	"sync"
	"sync/atomic"
)

// refs are the medians of the references, by name.
type refs map[string]float64

// The references work on memory that the compiler cannot keep in registers.
var (
	words  [2]uint64
	shared uint64
	mu     sync.Mutex
)

// references measures what the targets are multiples of.
func references() []benchmark {
	return []benchmark{
		{name: "R_inc2", bound: "two plain increments of own memory", start: func() func(int) {
			return func(n int) {
				for range n {
					words[0]++
					words[1]++
				}
			}
		}},
		{name: "R_add", bound: "one atomic add", start: func() func(int) {
			return func(n int) {
				for range n {
					atomic.AddUint64(&shared, 1)
				}
			}
		}},
		{name: "R_mu2", bound: "two bare Lock and Unlock", start: func() func(int) {
			return func(n int) {
				for range n {
					mu.Lock()
					mu.Unlock()
					mu.Lock()
					mu.Unlock()
				}
			}
		}},
	}
}

// times is a target of so many of a reference.
func times(x float64, ref string) func(refs) float64 {
	return func(r refs) float64 { return x * r[ref] }
}

// locked is a target of the unlocked case plus what the lock costs.
func locked(x float64, ref string) func(refs) float64 {
	return func(r refs) float64 { return x*r[ref] + 1.1*r["R_mu2"] }
}
