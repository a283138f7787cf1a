package gpu

import (
	"errors"
	"math/rand/v2"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/gpu/pools"
)

// Pools reserve nearly all memory of a device. Every word is written and verified, and the device has as much free memory afterwards as before.
func TestNearlyFull(t *testing.T) {
	if testing.Short() {
		t.Skip("uses all memory of a device")
	}
	l := newLab(t, 0)
	full(l, "device", func(o ...poolrt.Option) (pool[pools.PlainSpan], error) { return pools.NewPlainPool(o...) })
	full(l, "device_async", func(o ...poolrt.Option) (pool[pools.AsyncSpan], error) { return pools.NewAsyncPool(o...) })
	full(l, "device_pool", func(o ...poolrt.Option) (pool[pools.CustomSpan], error) { return pools.NewCustomPool(o...) })
	full(l, "device_virtual", func(o ...poolrt.Option) (pool[pools.VirtualSpan], error) { return pools.NewVirtualPool(o...) })
}

// full fills the device twice, as the driver may keep memory that it allocates for itself the first time.
func full[B block](l *lab, allocator string, open func(...poolrt.Option) (pool[B], error)) {
	if err := l.device.Supports(allocator); err != nil {
		l.Logf("%s: %v", allocator, err)
		return
	}
	for _, warm := range []bool{true, false} {
		before := l.free()
		limit := before / 100 * 95
		p, err := open(poolrt.WithLimit(limit))
		l.ok(allocator, err)
		blocks := fill(l, p, before/2048)
		apart(l, blocks)
		s := p.Stats()
		// With pooldebug, red zones take memory beside what a pool counts.
		if s.LiveBytes < limit/10*9 && !poolrt.Debug || s.Reserved > limit || s.PeakReserved > limit {
			l.Errorf("%s: of %d bytes: %+v", allocator, limit, s)
		}
		if left := l.free(); before-left < s.Reserved {
			l.Errorf("%s: %d bytes are reserved, and %d fewer are free", allocator, s.Reserved, before-left)
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
		for _, b := range blocks {
			l.ok("free", p.Free(b))
		}
		_, err = p.Trim(0)
		l.ok("trim", err)
		if s := p.Stats(); s.Live != 0 || s.Reserved != 0 {
			l.Errorf("%s: freed: %+v", allocator, s)
		}
		l.ok("close", p.Close())
		after := l.free()
		l.Logf("%s: %d blocks of %d bytes in %d of %d that were free; %d free afterwards", allocator, len(blocks), s.LiveBytes, s.Reserved, before, after)
		if after < before && !warm {
			l.Errorf("%s: %d bytes free, %d before", allocator, after, before)
		}
	}
}

// fill allocates blocks of up to the given size, and smaller ones when they do not fit any more.
func fill[B block](l *lab, p pool[B], largest int64) (blocks []B) {
	r := rand.New(rand.NewPCG(3, 4))
	for bytes := largest; bytes > largest/100; {
		b, err := p.Alloc(int(bytes-r.Int64N(bytes/4)) &^ 7)
		switch {
		case err == nil:
			blocks = append(blocks, b)
		case errors.Is(err, poolrt.ErrLimit), errors.Is(err, poolrt.ErrOutOfMemory):
			bytes /= 2
		default:
			l.Fatal(err)
		}
	}
	return blocks
}
