package threads

import (
	"strings"
	"time"
)

//go:generate go run ./loops

// subject is a reference, a pool, or another allocator.
type subject struct {
	name  string
	note  string
	kind  string // the load
	alone bool   // one thread measures it: the pool has no lock
	start func(n int) session
	goals goals

	moved      func(n int) session // each block is freed by a worker that did not allocate it
	movedGoals goals

	probe func(n int, tails []tail) session // measures each alloc; nil: single allocs are not measured

	// timed replaces start for a subject that another process measures: the time of an operation over n threads, in ns.
	timed func(n int, span time.Duration) (float64, error)
}

// first is the number of operations of a worker at the start of a turn that are not measured. In a large churn they replace most blocks: at
// first these lie in the order of their allocation, and in each turn the caches have what other subjects used. A turn alone is too short for that.
func (s *subject) first() int {
	if strings.HasSuffix(strings.ToLower(s.kind), "many") {
		return 2 * manyLive
	}
	return piece
}

// kinds describes the loads.
var kinds = map[string]string{
	"bare":       "one block of 64 B taken and freed, loops without a pool",
	"blocks":     "one block taken and freed",
	"bytes":      "churn, 16 B to 64 KiB, 1,000 live a thread",
	"bytesMany":  "churn, 16 B to 64 KiB, 100,000 live",
	"blocksMany": "any of 1,000,000 live blocks of 64 B replaced, each thread its own",
	"ring":       "first in first out, 64 of 4 KiB a thread",
	"bump":       "256 B taken",
	"cache":      "a set of a cache at its limit of 64 MiB, 64 B to 2 KiB",

	"device blocks": "device memory, one block of 256 B taken and freed",
	"device bytes":  "device memory, churn, 16 B to 64 KiB, 1,000 live a thread",

	"device pair":       "a stream a thread, one block of 256 B allocated and freed on it",
	"device eight":      "a stream a thread, 8 blocks of 256 B allocated on it, then freed on it; ns for one",
	"device churn":      "a stream a thread, churn on it, 16 B to 64 KiB, 1,000 live a thread",
	"device many":       "a stream a thread, churn on it, 16 B to 64 KiB, 100,000 live a thread",
	"device length":     "one stream, one block of 4 KiB allocated and freed on it",
	"device async":      "a stream a thread, one block of 256 B allocated without it and freed on it",
	"device asyncBytes": "a stream a thread, one block of 1 KiB allocated without it and freed on it",
}

// order is the order of the report; references have no load.
var order = []string{"", "bare", "blocks", "bytes", "bytesMany", "blocksMany", "ring", "bump", "cache", "device blocks", "device bytes",
	"device pair", "device eight", "device churn", "device many", "device length", "device async", "device asyncBytes"}

// block is the item of pools of one size.
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
