package main

//lint:file-ignore SA2001 a lock that protects nothing is what is measured

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

// references measures what the targets are multiples of.
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
