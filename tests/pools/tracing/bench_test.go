package tracing

import (
	"io"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
)

// BenchmarkPair measures an allocation and its free, with and without the tag:
//
//	go test -v ./tests -pools '-run ^$ -bench Pair ./tracing'
//	go test -v ./tests -pools '-run ^$ -bench Pair -tags pooltrace ./tracing'
func BenchmarkPair(b *testing.B) {
	bench(b, "default", func() (stop func() error) { return func() error { return nil } })
	if !poolrt.Traced {
		return
	}
	set := func(events, oneIn int) func() func() error {
		return func() (stop func() error) {
			fatal.If(b, poolrt.SetFlightRecorder(events))
			fatal.If(b, poolrt.SetSampling(oneIn))
			return func() error { _ = poolrt.SetFlightRecorder(4096); return poolrt.SetSampling(128) }
		}
	}
	bench(b, "events only", set(4096, 0))
	bench(b, "samples only", set(0, 128))
	bench(b, "neither", set(0, 0))
	bench(b, "recorded", func() func() error {
		stop, err := poolrt.Record(io.Discard)
		fatal.If(b, err)
		return stop
	})
}

func bench(b *testing.B, name string, prepare func() (stop func() error)) {
	fixed, heap := new(pools.AlonePool), new(pools.HeapPool)
	b.Run(name+"/fixed", func(b *testing.B) {
		stop := prepare()
		for b.Loop() {
			r, err := fixed.Alloc()
			if err == nil {
				err = fixed.Free(r)
			}
			fatal.If(b, err)
		}
		if err := stop(); err != nil {
			b.Error(err)
		}
	})
	b.Run(name+"/heap", func(b *testing.B) {
		stop := prepare()
		for b.Loop() {
			r, err := heap.Alloc(100)
			if err == nil {
				err = heap.Free(r)
			}
			fatal.If(b, err)
		}
		if err := stop(); err != nil {
			b.Error(err)
		}
	})
}
