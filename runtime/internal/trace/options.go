// Package trace implements the tag pooltrace: the flight recorder and the samples of each pool, the recorder of traces, and profiles. Samples, call stacks and profiles
// are built without the tag, too, as pools with the key profile and the tag pooldebug use them.
package trace

import "errors"

// Recording is what a trace is to have.
type Recording struct {
	Pools []string // names of the pools; all pools if there are none
	OneIn uint64   // one block in so many is recorded; 0 stands for 1
}

var (
	// ErrUntraced is the error of what needs the tag pooltrace.
	ErrUntraced = errors.New("build the program with -tags pooltrace")
	// ErrRecording is the error of Start while a trace is recorded.
	ErrRecording = errors.New("a trace is being recorded already")
)

// The largest arguments of SetFlightRecorder and SetSampling.
const (
	MostEvents   = 1 << 24
	MostSampling = 1 << 30
)
