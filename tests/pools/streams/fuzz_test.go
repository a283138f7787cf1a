//go:build cudasim

package streams

import (
	"math/rand/v2"
	"testing"
)

// choices is a source of the numbers that a program is made by: one byte of the fuzzer's each, and arbitrary ones when there are none left.
type choices struct {
	bytes []byte
	after uint64
}

// Uint64 spreads a byte over all of a number, as some choices look at its upper bits and some at its lower ones.
func (c *choices) Uint64() uint64 {
	if len(c.bytes) == 0 {
		c.after += 0x9e3779b97f4a7c15
		return c.after
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return uint64(b) * 0x0101010101010101
}

// FuzzOrder has the fuzzer make up the program, and choose the pool.
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
