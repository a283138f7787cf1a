package threads

import "time"

//go:generate go run ./loops

// subject is something that is measured: a reference, a pool, or a peer.
type subject struct {
	name  string
	note  string
	kind  string // the load
	start func(n int) session
	goals goals

	moved      func(n int) session // each block is freed by another worker than took it
	movedGoals goals

	probe func(n int, tails []tail) session // takes the time of each alloc, nil if that is not looked at

	// timed is in the place of start for what another process measures: the time of an operation over n threads, in ns.
	timed func(n int, span time.Duration) (float64, error)
}

// kinds says what the loads are.
var kinds = map[string]string{
	"blocks": "one block taken and freed",
	"bytes":  "churn, 16 B to 64 KiB, 1,000 live a thread",
	"ring":   "first in first out, 64 of 4 KiB a thread",
	"bump":   "256 B taken",

	"device blocks": "device memory, one block of 256 B taken and freed",
	"device bytes":  "device memory, churn, 16 B to 64 KiB, 1,000 live a thread",
}

// order is that of the report; references have no load.
var order = []string{"", "blocks", "bytes", "ring", "bump", "device blocks", "device bytes"}

// block is what pools of one size hand out here.
type block = [64]byte

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
