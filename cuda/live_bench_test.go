package cuda_test

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// What a lookup of a stream costs, and the questions that it spares, or that pools ask while a capture may be under way. On a GPU:
//
//	go test ./cuda -run '^$' -bench Stream
func BenchmarkStream(b *testing.B) {
	if err := cuda.Probe(); err != nil {
		b.Skip(err)
	}
	s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, bench := range []struct {
		name string
		call func() error
	}{
		{"StreamOf", func() error { return second(cuda.StreamOf(0, s.Handle())) }},
		{"StreamOf/default", func() error { return second(cuda.StreamOf(0, 0)) }},
		{"AdoptStream", func() error { return second(cuda.AdoptStream(s.Handle())) }},
		{"IsCapturing", func() error { return second(s.IsCapturing()) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if err := bench.call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
