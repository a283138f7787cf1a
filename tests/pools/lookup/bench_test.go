package lookup

import (
	"math/rand/v2"
	"testing"
	"time"
)

// rounds is how often each side of a comparison is measured, in turns. The fastest round counts.
const rounds = 400

// compare returns the times of one call of two functions, in nanoseconds.
func compare(n int, one, other func(n int)) (a, b float64) {
	a, b = 1e9, 1e9
	for range rounds {
		start := time.Now()
		one(n)
		mid := time.Now()
		other(n)
		a = min(a, float64(mid.Sub(start).Nanoseconds())/float64(n))
		b = min(b, float64(time.Since(mid).Nanoseconds())/float64(n))
	}
	return a, b
}

// BenchmarkGet compares reading a word of 4,096 blocks in random order by handle and by index with doing so by pointer.
func BenchmarkGet(b *testing.B) {
	const count = 4096
	p := must(NewLinkPool())
	var pointers [count]*[4]uint64
	var handles [count]LinkHandle
	var indexes [count]uint32
	order := rand.New(rand.NewPCG(1, 2)).Perm(count)
	for _, i := range order {
		h, block, err := p.AllocHandle()
		check(b, "alloc", err)
		handles[i], pointers[i], indexes[i] = h, block, p.Index(block)
	}
	var sum uint64
	load := func(n int) {
		for i := range n {
			sum += pointers[i%count][0]
		}
	}
	get := func(n int) {
		for i := range n {
			if block, ok := p.Get(handles[i%count]); ok {
				sum += block[0]
			}
		}
	}
	at := func(n int) {
		for i := range n {
			sum += p.AtIndex(indexes[i%count])[0]
		}
	}
	for b.Loop() {
		byPointer, byHandle := compare(1<<13, load, get)
		byPointer2, byIndex := compare(1<<13, load, at)
		b.ReportMetric(byPointer, "ns/pointer")
		b.ReportMetric(byHandle-byPointer, "ns/handle-above")
		b.ReportMetric(byIndex-byPointer2, "ns/index-above")
	}
	_ = sum
}

// BenchmarkHandlePair compares AllocHandle and FreeHandle with Alloc and Free of a pool without handles, of the same settings.
func BenchmarkHandlePair(b *testing.B) {
	p, plain := must(NewLinkPool()), must(NewPlainPool())
	loose, bare := must(NewLooseLinkPool()), must(NewBarePool())
	for b.Loop() {
		a, h := compare(1<<12, func(n int) {
			for range n {
				block, _ := plain.Alloc()
				_ = plain.Free(block)
			}
		}, func(n int) {
			for range n {
				h, _, _ := p.AllocHandle()
				_ = p.FreeHandle(h)
			}
		})
		b.ReportMetric(a, "ns/pair-mutex")
		b.ReportMetric(h/a, "ratio-mutex")
		a, h = compare(1<<12, func(n int) {
			for range n {
				block, _ := bare.Alloc()
				_ = bare.Free(block)
			}
		}, func(n int) {
			for range n {
				h, _, _ := loose.AllocHandle()
				_ = loose.FreeHandle(h)
			}
		})
		b.ReportMetric(a, "ns/pair-none")
		b.ReportMetric(h/a, "ratio-none")
	}
}
