//go:build pooltrace

package trace

import "sync/atomic"

const (
	// defaultSampling is sampling until SetSampling is called.
	defaultSampling = 128
	// sampledAlways is the size from which on all blocks are sampled: such blocks are few, and hold most of the memory.
	sampledAlways = 1 << 20
)

// sampling is a power of two: one allocation in so many is sampled, or none if it is 0.
var sampling atomic.Int64

func init() { sampling.Store(defaultSampling) }

// SetSampling sets sampling to a number from 0 to MostSampling, rounded up to a power of two.
func SetSampling(oneIn int) error {
	sampling.Store(upToPower(oneIn))
	return nil
}

// Sampled returns the weight of an allocation with the given number of its event, or 0 if it is not sampled. The number is hashed, as a program may allocate in a
// regular pattern.
func Sampled(number, bytes uint64) (weight float64) {
	n := uint64(sampling.Load())
	switch {
	case n == 0:
		return 0
	case bytes >= sampledAlways:
		return 1
	case number*0x9E3779B97F4A7C15>>32&(n-1) == 0:
		return float64(n)
	}
	return 0
}
