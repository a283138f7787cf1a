// Package trace is what programs built with the tag pooltrace know of blocks and of who calls: the flight recorder and the samples of each pool, the
// recorder of all, and profiles. Calls and profiles exist without the tag as well.
package trace

import "errors"

// Recording says what a trace has of all that happens.
type Recording struct {
	Pools []string // by name; none: all
	OneIn uint64   // of so many blocks one; 0 is 1
}

var (
	// ErrUntraced refuses what needs the tag pooltrace.
	ErrUntraced = errors.New("build the program with -tags pooltrace")
	// ErrRecording refuses a second trace at a time.
	ErrRecording = errors.New("a trace is being recorded already")
)

// Bounds of SetFlightRecorder and SetSampling.
const (
	MostEvents   = 1 << 24
	MostSampling = 1 << 30
)
