// Package graphs shows memory that is private to a captured graph. Code that allocates temporaries on its stream is captured as it stands: the graph owns them, and
// uses the memory of one again for the next.
//
// The tests run on a GPU, and without one on the simulated driver:
//
//	go test -tags cudasim ./generated_examples/graphs
package graphs

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Layers queues the work of some layers on a stream: each has a temporary of its own, and the result of the last stays. It neither knows nor cares whether the
// stream is being captured.
func Layers(s cuda.Stream, layers, n int) (result TempSpan, err error) {
	for i := range layers - 1 {
		temp, err := layer(s, n, byte(i+1))
		if err != nil {
			return TempSpan{}, err
		}
		if err := FreeTempOn(temp, s); err != nil {
			return TempSpan{}, err
		}
	}
	return layer(s, n, byte(layers))
}

// layer queues the work of one layer.
func layer(s cuda.Stream, n int, value byte) (TempSpan, error) {
	b, err := AllocTempOn(n, s)
	if err != nil {
		return TempSpan{}, err
	}
	if err := cuda.MemsetAsync(b.Addr(), value, b.Bytes(), s); err != nil { // stands for a kernel
		return TempSpan{}, errors.Join(err, FreeTempOn(b, s))
	}
	return b, nil
}

// Capture makes a graph of the work of some layers, and returns where each launch leaves the result. The graph owns the result: closing the graph frees it.
func Capture(s cuda.Stream, layers, n int, after ...cuda.Graph) (cuda.Graph, TempSpan, error) {
	if err := s.BeginCaptureWith([]poolrt.Capturer{DefaultTempPool()}, after...); err != nil {
		return cuda.Graph{}, TempSpan{}, err
	}
	result, failed := Layers(s, layers, n)
	graph, err := s.EndCapture()
	if failed != nil && err == nil {
		err = graph.Close()
	}
	return graph, result, errors.Join(failed, err)
}
