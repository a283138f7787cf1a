package threads

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/poolgen/poolgen/tests/pools/bench/pools"
)

const (
	growthChunk = 256 << 10 // bytes of a chunk of these pools
	fewChunks   = 1_000
	manyChunks  = 32_000
	growthGoal  = 2
)

// growthReport prints what a chunk more takes, with the blocks in it, in a pool of few chunks and in one of many. Two goroutines fill the chunks, so those of a
// core that gives each processor chunks of its own lie with both.
func growthReport(w io.Writer, o Options) error {
	workers := min(2, runtime.NumCPU())
	runtime.GOMAXPROCS(workers)
	fmt.Fprintf(w, "\nGrowth: one chunk more of %d KiB, with the blocks in it, ns over %d threads\n", growthChunk>>10, workers)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "pool\tup to %d chunks\tup to %d\tlargest : smallest\tgoal\t\n", fewChunks, manyChunks)
	for _, s := range []struct {
		name string
		size int // of a block
		make func(size int) (alloc func(), end func() error)
	}{
		{"fixed, sharded", 4096, blocksOf(func() pageAllocator { return new(pools.ChunksFixedPool) })},
		{"fixed, magazine", 4096, blocksOf(func() pageAllocator { return new(pools.ChunksMagazinePool) })},
		{"heap, sharded", 4096, bytesOf(func() bytesPool { return new(pools.ChunksHeapPool) })},
		{"heap, sharded, trims", growthChunk / 4, bytesOf(func() bytesPool { return new(pools.ChunksHeapTrimsPool) })},
		{"binned, sharded", 4096, bytesOf(func() bytesPool { return new(pools.ChunksBinnedPool) })},
		{"classes, sharded", 4096, bytesOf(func() bytesPool { return new(pools.ChunksClassesPool) })},
		{"ring, sharded", 4096, bytesOf(func() bytesPool { return new(pools.ChunksRingPool) })},
		{"bump, sharded", 4096, func(size int) (func(), func() error) {
			p := new(pools.ChunksBumpPool)
			return func() { must(p.Alloc(size)) }, p.CloseForce
		}},
	} {
		few, many := math.Inf(1), math.Inf(1)
		for range max(o.Turns/2, 1) {
			alloc, end := s.make(s.size)
			grow := func(chunks int) float64 { return fill(alloc, workers, chunks*(growthChunk/s.size)) / float64(chunks) }
			grow(fewChunks / 2)
			few = min(few, grow(fewChunks/2))
			grow(manyChunks/2 - fewChunks)
			many = min(many, grow(manyChunks/2))
			check(end())
			runtime.GC()
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.2f\t<= %d: %s\t\n", s.name, few, many, many/few, growthGoal, judge(many/few, growthGoal))
	}
	return t.Flush()
}

// pageAllocator is a pool of blocks of 4 KiB.
type pageAllocator interface {
	Alloc() (*[4096]byte, error)
	CloseForce() error
}

func blocksOf(pool func() pageAllocator) func(int) (func(), func() error) {
	return func(int) (func(), func() error) {
		p := pool()
		return func() { must(p.Alloc()) }, p.CloseForce
	}
}

func bytesOf(pool func() bytesPool) func(int) (func(), func() error) {
	return func(size int) (func(), func() error) {
		p := pool()
		return func() { must(p.Alloc(size)) }, p.CloseForce
	}
}

// fill has workers allocate blocks, and returns the ns until all are allocated.
func fill(alloc func(), workers, blocks int) float64 {
	var all sync.WaitGroup
	start := time.Now()
	for range workers {
		all.Go(func() {
			for range blocks / workers {
				alloc()
			}
		})
	}
	all.Wait()
	return float64(time.Since(start).Nanoseconds())
}
