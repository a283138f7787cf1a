package coretest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Resizer is a core whose blocks are found by their addresses, and may change their length where they are.
type Resizer interface {
	poolimpl.FindingCore
	Resize(addr, bytes, n uint64) bool
}

// Resize allocates, resizes and frees blocks of up to most bytes at random in a chunk of size bytes, which the core gets in slot 0, and compares what the core says
// with what was asked for. It returns how many blocks have become larger, and smaller, where they were.
func Resize(t *testing.T, core Resizer, r *rand.Rand, size, most uint64) (grown, shrunk int) {
	const base = 1 << 20
	core.Add(0, base, size)
	blocks, sum := map[uint64]uint64{}, uint64(0)
	var addrs []uint64
	check := func(what string) {
		t.Helper()
		slices.Sort(addrs)
		for i, addr := range addrs {
			if slot, off, n, ok := core.BlockAt(addr); !ok || slot != 0 || off != addr-base || n != blocks[addr] {
				t.Fatalf("%s: block of %d at %#x: slot %d, offset %#x, %d, %v", what, blocks[addr], addr, slot, off, n, ok)
			}
			if _, _, n, ok := core.BlockAt(addr + 1); ok && blocks[addr+1] == 0 {
				t.Fatalf("%s: a block of %d one byte behind %#x", what, n, addr)
			}
			if i > 0 && addr-addrs[i-1] < blocks[addrs[i-1]] || addr+blocks[addr] > base+size {
				t.Fatalf("%s: block of %d at %#x overlaps", what, blocks[addr], addr)
			}
		}
		if u := core.Usage(); u.Live != uint64(len(addrs)) || u.LiveBytes != sum {
			t.Fatalf("%s: %d live with %d bytes; want %d with %d", what, u.Live, u.LiveBytes, len(addrs), sum)
		}
	}
	free := func(i int) {
		addr := addrs[i]
		if _, v := core.Free(addr, blocks[addr]); v > poolimpl.Emptied {
			t.Fatalf("free of %d at %#x: %v", blocks[addr], addr, v)
		}
		if _, _, n, ok := core.BlockAt(addr); ok {
			t.Fatalf("a block of %d at %#x after its free", n, addr)
		}
		if core.Resize(addr, blocks[addr], blocks[addr]) {
			t.Fatalf("a block at %#x is resized after its free", addr)
		}
		sum -= blocks[addr]
		delete(blocks, addr)
		addrs = slices.Delete(addrs, i, i+1)
	}
	for range 3000 {
		n := 1 + r.Uint64N(1+r.Uint64N(most))
		switch i := r.IntN(1 + len(addrs)); {
		case i == len(addrs) || r.IntN(4) == 0:
			if _, off, ok := core.Alloc(n, 1); ok {
				blocks[base+off], sum = n, sum+n
				addrs = append(addrs, base+off)
				break
			}
			fallthrough
		case r.IntN(3) == 0:
			if len(addrs) > 0 {
				free(r.IntN(len(addrs)))
			}
		default:
			addr := addrs[i]
			old := blocks[addr]
			if core.Resize(addr, old+1, n) || blocks[addr+1] == 0 && core.Resize(addr+1, old, n) {
				t.Fatalf("block of %d at %#x is resized with another length or start", old, addr)
			}
			if !core.Resize(addr, old, n) {
				break
			}
			blocks[addr], sum = n, sum+n-old
			if n > old {
				grown++
			} else if n < old {
				shrunk++
			}
		}
		check("step")
	}
	for len(addrs) > 0 {
		free(0)
	}
	check("end")
	core.Flush()
	if used := core.Used(0); used != 0 {
		t.Fatalf("%d bytes are in use at the end", used)
	}
	return grown, shrunk
}
