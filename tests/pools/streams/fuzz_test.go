//go:build cudasim

package streams

import (
	"math/rand/v2"
	"testing"
)

// choices is the source of a program's random numbers: each is a byte of the fuzzer, and pseudo-random when no bytes are left.
type choices struct {
	bytes []byte
	after uint64
}

// Uint64 copies a byte to all bytes of a number, as some choices depend on its upper bits and some on its lower ones.
func (c *choices) Uint64() uint64 {
	if len(c.bytes) == 0 {
		c.after += 0x9e3779b97f4a7c15
		return c.after
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return uint64(b) * 0x0101010101010101
}

// FuzzOrder lets the fuzzer choose the program and the pool.
func FuzzOrder(f *testing.F) {
	for i := range Subjects() {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		bytes := make([]byte, 300)
		for k := range bytes {
			bytes[k] = byte(r.Uint32())
		}
		f.Add(byte(i), bytes)
	}
	f.Fuzz(func(t *testing.T, which byte, bytes []byte) {
		list := Subjects()
		play(t, list[int(which)%len(list)], rand.New(&choices{bytes: bytes}), min(len(bytes)/3, 200))
	})
}
