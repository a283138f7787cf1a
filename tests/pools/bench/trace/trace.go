// Package trace makes the loads that tests/pools/bench puts on pools of bytes. They are the same on every machine.
package trace

// Random is xorshift64: fast, and the same everywhere. It must not be 0.
type Random uint64

// Next returns the next number.
func (r *Random) Next() uint64 {
	x := uint64(*r)
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*r = Random(x)
	return x
}

// Seed is the seed of all loads.
const Seed = 88172645463325252

// Seeded returns the i-th of several random number generators.
func Seeded(i int) Random { return Random(Seed + uint64(i)*0x9e3779b97f4a7c15) }

// Step is one operation of a churn: the block that is replaced, and the new size.
type Step struct{ Slot, Size uint32 }

// Churn returns steps over a number of live blocks, with sizes from 16 B to 64 KiB, each octave equally likely.
func Churn(r Random, live, steps int) []Step {
	s := make([]Step, steps)
	for i := range s {
		v := r.Next()
		e := 4 + (v>>8)%12
		s[i] = Step{uint32((v >> 32) * uint64(live) >> 32), uint32(uint64(1)<<e + (v>>16)&(1<<e-1))}
	}
	return s
}
