//go:build cudasim

package driver

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// Work keeps streams busy: what is queued takes a number of events.
type Work struct{ streams []cuda.Stream }

// Busy makes work on the streams take so many events.
func Busy(streams []cuda.Stream, events int) (*Work, error) {
	sim.Latency(events)
	return &Work{streams}, nil
}

// Queue queues work on the stream with an index.
func (w *Work) Queue(stream int) error { return sim.Work(w.streams[stream]) }

// Tick counts an event.
func (w *Work) Tick() { sim.Tick() }
