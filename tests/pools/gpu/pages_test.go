//go:build !cudasim

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/pools/devices/pages"
)

// Blocks lie across pages that were mapped at different times; pages between them are unmapped and mapped again, while streams use the other pages.
func TestPages(t *testing.T) {
	l := newLab(t, 0)
	on := l.streams(4)
	before, _, err := l.device.MemInfo()
	l.ok("mem info", err)
	p := new(pages.QuickFlowPool) // keeps no page that is free
	type owned struct {
		pages.QuickFlowSpan
		value byte
		on    cuda.Stream
	}
	var held []owned
	r := rand.New(rand.NewPCG(1, 1))
	free := func() {
		b := held[0]
		held = held[1:]
		l.expect(b.Addr(), b.Bytes(), b.value, b.on)
		l.ok("free", p.FreeOn(b.QuickFlowSpan, b.on))
	}
	for i := range steps() / 3 {
		s := on[r.IntN(len(on))]
		b, err := p.AllocOn(1+r.IntN(5<<20), s)
		if err != nil {
			if len(held) == 0 {
				l.ok("synchronize", l.device.Synchronize())
				p.Poll()
				continue
			}
			free()
			continue
		}
		held = append(held, owned{b, byte(i), s})
		l.write(b.Addr(), b.Bytes(), byte(i), s)
		if r.IntN(3) == 0 {
			free()
		}
		r.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	}
	for len(held) > 0 {
		free()
	}
	l.ok("synchronize", l.device.Synchronize())
	p.Poll()
	if st := p.Stats(); st.Live != 0 || st.Reserved != 0 {
		t.Errorf("%+v", st)
	} else {
		t.Logf("%d blocks, %d bytes at most", st.Allocs, st.PeakReserved)
	}
	l.ok("close", p.Close())
	after, _, err := l.device.MemInfo()
	l.ok("mem info", err)
	if after < before {
		t.Errorf("%d bytes free, %d before", after, before)
	}
}

// BenchmarkPages compares growth by one page with the driver's calls for it, and with a chunk of another pool.
func BenchmarkPages(b *testing.B) {
	l := newLab(b, 0)
	const page, limit = 2 << 20, 32 << 20 // the size of a reservation makes a difference
	b.Run("driver", func(b *testing.B) {
		at, err := cuda.ReserveAddresses(limit, page)
		l.ok("reserve", err)
		for b.Loop() {
			m, err := l.device.NewMemory(page, cuda.MemoryProps{})
			l.ok("memory", err)
			l.ok("map", m.Map(at, page, 0))
			l.ok("access", cuda.SetAccess(at, page, l.device, cuda.ReadWrite))
			l.ok("unmap", cuda.Unmap(at, page))
			l.ok("release", m.Close())
		}
		l.ok("free", cuda.FreeAddresses(at, limit))
	})
	b.Run("pool", func(b *testing.B) {
		p := new(pages.PlainPool)
		for b.Loop() {
			x, err := p.Alloc(page)
			l.ok("alloc", err)
			l.ok("free", p.Free(x))
			_, err = p.Trim(0)
			l.ok("trim", err)
		}
		l.ok("close", p.Close())
	})
	b.Run("chunk", func(b *testing.B) {
		for b.Loop() {
			x, err := l.device.Alloc(page)
			l.ok("alloc", err)
			l.ok("free", l.device.Free(x))
		}
	})
}
