package poolrt

import (
	"fmt"
	"math"
)

// NoLimit is the limit of a pool that has none.
const NoLimit int64 = math.MaxInt64

// Stats counts what a pool holds. Sizes are in bytes, or in numbers for a pool of numbered resources. The values belong
// together: they are read under the pool's lock (for concurrency none: by the goroutine that uses the pool).
// Reading them costs one pass over the chunks, not over the blocks.
type Stats struct {
	Live          int64 `json:"live"`           // blocks handed out and not freed
	LiveBytes     int64 `json:"live_bytes"`     // bytes requested for those blocks
	PeakBytes     int64 `json:"peak_bytes"`     // largest LiveBytes so far; blocks of the rung driver count when one is taken, and here; with concurrency sharded an estimate, at most PeakReserved; 0 with stats: off
	Reserved      int64 `json:"reserved"`       // bytes obtained from the allocator: what the limit bounds
	PeakReserved  int64 `json:"peak_reserved"`  // largest Reserved so far
	Limit         int64 `json:"limit"`          // limit in force, NoLimit if there is none
	Chunks        int64 `json:"chunks"`         // chunks that make up Reserved
	Allocs        int64 `json:"allocs"`         // blocks handed out so far; 0 with stats: off
	Frees         int64 `json:"frees"`          // blocks freed so far; 0 with stats: off
	Failures      int64 `json:"failures"`       // allocations that failed
	Pending       int64 `json:"pending"`        // frees that a stream has not passed yet; 0 for ordering sync
	LargestFree   int64 `json:"largest_free"`   // largest request that would succeed without growing; at the limit a stream may have to wait for others first
	RoundingBytes int64 `json:"rounding_bytes"` // bytes that live blocks take up beyond what was requested
	Cached        int64 `json:"cached"`         // bytes of freed blocks kept for their size class or, with magazine, by a processor
	SoftCrossings int64 `json:"soft_crossings"` // times Reserved rose above the soft limit
}

// String returns all figures by name, on one line.
func (s Stats) String() string {
	return fmt.Sprintf("Live %d, LiveBytes %d, PeakBytes %d, Reserved %d, PeakReserved %d, Limit %s, Chunks %d, Allocs %d, Frees %d, Failures %d, Pending %d, "+
		"LargestFree %d, RoundingBytes %d, Cached %d, SoftCrossings %d",
		s.Live, s.LiveBytes, s.PeakBytes, s.Reserved, s.PeakReserved, limitText(s.Limit), s.Chunks, s.Allocs, s.Frees, s.Failures, s.Pending,
		s.LargestFree, s.RoundingBytes, s.Cached, s.SoftCrossings)
}

// Metric describes a figure that each pool has. Names are in the style of Go's package runtime/metrics: a path, then the unit. For a
// pool of numbered resources, "bytes" are numbers.
type Metric struct {
	Name       string // such as "/pool/memory/live:bytes"
	Help       string // one sentence
	Cumulative bool   // it only grows, until a new pool of the same name begins again
	Largest    bool   // for several pools together, take the largest, not the sum
	Value      func(*Stats) int64
}

// metrics is the table of them all.
var metrics = []Metric{
	{"/pool/memory/live:bytes", "Bytes asked for by blocks that are handed out.", false, false, func(s *Stats) int64 { return s.LiveBytes }},
	{"/pool/memory/rounding:bytes", "Bytes that live blocks take up beyond what was asked for.", false, false, func(s *Stats) int64 { return s.RoundingBytes }},
	{"/pool/memory/cached:bytes", "Bytes of freed blocks that are kept for their size class or a processor.", false, false, func(s *Stats) int64 { return s.Cached }},
	{"/pool/memory/reserved:bytes", "Bytes obtained from the allocator.", false, false, func(s *Stats) int64 { return s.Reserved }},
	{"/pool/memory/largest-free:bytes", "Largest request that would succeed without growing.", false, true, func(s *Stats) int64 { return s.LargestFree }},
	{"/pool/memory/limit:bytes", "Limit in force, 9223372036854775807 if there is none.", false, true, func(s *Stats) int64 { return s.Limit }},
	{"/pool/memory/live-peak:bytes", "Largest number of live bytes so far.", false, true, func(s *Stats) int64 { return s.PeakBytes }},
	{"/pool/memory/reserved-peak:bytes", "Largest number of reserved bytes so far.", false, true, func(s *Stats) int64 { return s.PeakReserved }},
	{"/pool/blocks/live:blocks", "Blocks that are handed out.", false, false, func(s *Stats) int64 { return s.Live }},
	{"/pool/blocks/pending:blocks", "Freed blocks that wait for a stream.", false, false, func(s *Stats) int64 { return s.Pending }},
	{"/pool/blocks/allocs:blocks", "Blocks handed out so far.", true, false, func(s *Stats) int64 { return s.Allocs }},
	{"/pool/blocks/frees:blocks", "Blocks freed so far.", true, false, func(s *Stats) int64 { return s.Frees }},
	{"/pool/chunks:chunks", "Chunks that make up the reserved bytes.", false, false, func(s *Stats) int64 { return s.Chunks }},
	{"/pool/failures:allocations", "Allocations that failed so far.", true, false, func(s *Stats) int64 { return s.Failures }},
	{"/pool/soft-limit/crossings:events", "Times that the reserved bytes rose above the soft limit.", true, false, func(s *Stats) int64 { return s.SoftCrossings }},
}

// Metrics lists the figures in the [Stats] of each pool that [Pools] lists, for monitoring systems of your own. Package poolvars
// publishes pools with expvar, and module github.com/poolgen/poolgen/metrics/prometheus for Prometheus.
func Metrics() []Metric { return append([]Metric(nil), metrics...) }
