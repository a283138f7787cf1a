package main

//lint:file-ignore SA2001 the benchmark measures a lock that protects nothing

import (
	"sync"
	"sync/atomic"
)

// The references work on memory that the compiler cannot keep in registers.
var (
	words  [2]uint64
	shared uint64
	mu     sync.Mutex
)

// references are the cases of which targets are multiples.
func references() []benchmark {
	return []benchmark{
		{name: "R_inc2", note: "two plain increments of own memory", start: func() func(int) {
			return func(n int) {
				for range n {
					words[0]++
					words[1]++
				}
			}
		}},
		{name: "R_add", note: "one atomic add", start: func() func(int) {
			return func(n int) {
				for range n {
					atomic.AddUint64(&shared, 1)
				}
			}
		}},
		{name: "R_mu2", note: "two bare Lock and Unlock", start: func() func(int) {
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
