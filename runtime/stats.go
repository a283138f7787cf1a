package poolrt

import (
	"fmt"
	"math"
)

// NoLimit stands for the limit of a pool without a limit.
const NoLimit int64 = math.MaxInt64

// Stats are the statistics of a pool. Sizes are in bytes, or in numbers for a pool of numbered resources.
//
// Method Stats of a pool reads all figures at once, under the lock of the pool, in one pass over the chunks, not over the blocks. There are two exceptions. With
// concurrency none a pool has no lock: only the goroutine that uses the pool may call Stats. With concurrency sharded Stats reads one part of the pool after the
// other, so the figures are exact when no other goroutine uses the pool; the pass includes the slabs of which a block was taken or freed since the last two calls.
//
// In a closed pool nothing is live: CloseForce has freed what was.
type Stats struct {
	Live      int64 `json:"live"`       // blocks that are live: allocated and not freed
	LiveBytes int64 `json:"live_bytes"` // bytes that were requested for the live blocks

	// PeakBytes is the largest LiveBytes so far, or since method ResetPeaks of the pool; 0 with stats: off. With concurrency sharded it is an estimate, of at most
	// PeakReserved. Blocks that the rung driver has obtained are counted only when such a block is allocated, and when the statistics are read.
	PeakBytes int64 `json:"peak_bytes"`

	Reserved     int64 `json:"reserved"`      // bytes obtained from the allocator, which the limit bounds
	PeakReserved int64 `json:"peak_reserved"` // largest Reserved so far, or since ResetPeaks
	Limit        int64 `json:"limit"`         // limit in force; NoLimit without one
	Chunks       int64 `json:"chunks"`        // chunks that Reserved consists of
	Allocs       int64 `json:"allocs"`        // blocks allocated so far; 0 with stats: off
	Frees        int64 `json:"frees"`         // blocks freed so far; 0 with stats: off
	Failures     int64 `json:"failures"`      // allocations that have failed
	Guarded      int64 `json:"guarded"`       // live blocks that are guarded; their pages come on top of Reserved
	Pending      int64 `json:"pending"`       // blocks freed on streams that have not passed the free yet; 0 with ordering sync

	// LargestFree is the size of the largest request that would succeed without growth. In a pool ordered with streams that has reached its limit, the request may
	// have to wait for a stream. With suballocator binned, and where a sharded pool has slabs, larger requests may succeed, too: what is kept for blocks of one
	// size does not count as a part of a larger range.
	LargestFree int64 `json:"largest_free"`

	RoundingBytes int64 `json:"rounding_bytes"` // bytes that live blocks occupy beyond LiveBytes
	Cached        int64 `json:"cached"`         // bytes of free blocks that are kept for their size class or, with magazine, by a processor
	Retired       int64 `json:"retired"`        // free blocks that are not handed out again, because the generations of their handles are used up
	SoftCrossings int64 `json:"soft_crossings"` // how often Reserved has risen above the soft limit

	StreamWaits int64 `json:"stream_waits"` // how often a stream was made to wait for another one that had freed the memory

	Given   int64 `json:"given,omitempty"`   // bytes that the pool has returned so far because other pools of its budget needed them
	Asleep  int64 `json:"asleep,omitempty"`  // 1 while the pool is asleep, else 0
	Backing int64 `json:"backing,omitempty"` // bytes of memory of the host that the pool has for contents asleep, now or in the next sleep

	Graphs  int64 `json:"graphs,omitempty"`  // graphs that have memory of the pool for themselves, and captures that may become such graphs
	Private int64 `json:"private,omitempty"` // bytes of Reserved that are private to graphs
	Outputs int64 `json:"outputs,omitempty"` // blocks there that are live at the end of the graph; they are not among Live

	// Unreturned is the number of things that the pool does not use and could not give back: chunks that the allocator refused to take back, and events and other
	// objects that the driver refused to destroy. The pool tries again on calls that leave the fast path, and in Close.
	Unreturned      int64 `json:"unreturned"`
	UnreturnedBytes int64 `json:"unreturned_bytes"` // bytes of these chunks, a part of Reserved
}

// String returns all figures with their names, on one line; Given, Asleep, Backing and Guarded only if they are not 0, and so Graphs with Private and Outputs.
func (s Stats) String() string {
	text := fmt.Sprintf("Live %d, LiveBytes %d, PeakBytes %d, Reserved %d, PeakReserved %d, Limit %s, Chunks %d, Allocs %d, Frees %d, Failures %d, Pending %d, "+
		"LargestFree %d, RoundingBytes %d, Cached %d, Retired %d, SoftCrossings %d, StreamWaits %d, Unreturned %d, UnreturnedBytes %d",
		s.Live, s.LiveBytes, s.PeakBytes, s.Reserved, s.PeakReserved, limitText(s.Limit), s.Chunks, s.Allocs, s.Frees, s.Failures, s.Pending,
		s.LargestFree, s.RoundingBytes, s.Cached, s.Retired, s.SoftCrossings, s.StreamWaits, s.Unreturned, s.UnreturnedBytes)
	if s.Given > 0 {
		text += fmt.Sprintf(", Given %d", s.Given)
	}
	if s.Asleep > 0 || s.Backing > 0 {
		text += fmt.Sprintf(", Asleep %d, Backing %d", s.Asleep, s.Backing)
	}
	if s.Graphs > 0 || s.Private > 0 {
		text += fmt.Sprintf(", Graphs %d, Private %d, Outputs %d", s.Graphs, s.Private, s.Outputs)
	}
	if s.Guarded > 0 {
		text += fmt.Sprintf(", Guarded %d", s.Guarded)
	}
	return text
}

// ClassStats are the figures of one size class of a pool: of the blocks of one size that the pool keeps together, in a bin, in slabs or in a cache. Sizes are in
// bytes, or in numbers for a pool of numbered resources.
//
// Method Classes of pools with suballocator binned or classes, and of heaps with slabs, returns the classes that hold memory, by size, and after these an element
// with Size 0 for the rest of the pool. Over all elements, the sums of Live, Pending and Reserved are those of [Stats].
type ClassStats struct {
	Size    int64 `json:"size"`    // of a block; 0: blocks of no class, and memory that no class has
	Live    int64 `json:"live"`    // blocks that are live
	Pending int64 `json:"pending"` // blocks freed on streams that have not passed the free yet
	Free    int64 `json:"free"`    // free blocks that are kept for the class
	// Reserved is what the blocks of the class take up, live or not, with what its slabs cannot use. It is a part of Stats.Reserved.
	Reserved int64 `json:"reserved"`
}

// Metric describes one figure of [Stats]. Names are in the style of Go's package runtime/metrics: a path, then the unit. For a pool of numbered resources the
// unit "bytes" stands for numbers.
type Metric struct {
	Name       string             // such as "/pool/memory/live:bytes"
	Help       string             // one sentence
	Cumulative bool               // the figure only grows; a new pool with the name of one that was closed begins again at 0
	Largest    bool               // several pools together have the largest of their figures, not the sum
	Value      func(*Stats) int64 // returns the figure
}

// metrics is the table of all figures.
var metrics = []Metric{
	{"/pool/memory/live:bytes", "Bytes asked for by blocks that are handed out.", false, false, func(s *Stats) int64 { return s.LiveBytes }},
	{"/pool/memory/rounding:bytes", "Bytes that live blocks take up beyond what was asked for.", false, false, func(s *Stats) int64 { return s.RoundingBytes }},
	{"/pool/memory/cached:bytes", "Bytes of freed blocks that are kept for their size class or a processor.", false, false, func(s *Stats) int64 { return s.Cached }},
	{"/pool/memory/reserved:bytes", "Bytes obtained from the allocator.", false, false, func(s *Stats) int64 { return s.Reserved }},
	{"/pool/memory/unreturned:bytes", "Bytes that the allocator refused to take back.", false, false, func(s *Stats) int64 { return s.UnreturnedBytes }},
	{"/pool/memory/backing:bytes", "Bytes of the host for contents of pools asleep.", false, false, func(s *Stats) int64 { return s.Backing }},
	{"/pool/memory/given:bytes", "Bytes returned so far because other pools of the budget needed them.", true, false, func(s *Stats) int64 { return s.Given }},
	{"/pool/memory/private:bytes", "Reserved bytes that are private to graphs.", false, false, func(s *Stats) int64 { return s.Private }},
	{"/pool/memory/largest-free:bytes", "Largest request that would succeed without growing.", false, true, func(s *Stats) int64 { return s.LargestFree }},
	{"/pool/memory/limit:bytes", "Limit in force, 9223372036854775807 if there is none.", false, true, func(s *Stats) int64 { return s.Limit }},
	{"/pool/memory/live-peak:bytes", "Largest number of live bytes so far, or since ResetPeaks; an estimate in sharded pools.", false, true, func(s *Stats) int64 { return s.PeakBytes }},
	{"/pool/memory/reserved-peak:bytes", "Largest number of reserved bytes so far, or since ResetPeaks.", false, true, func(s *Stats) int64 { return s.PeakReserved }},
	{"/pool/blocks/live:blocks", "Blocks that are handed out.", false, false, func(s *Stats) int64 { return s.Live }},
	{"/pool/blocks/guarded:blocks", "Live blocks that are guarded.", false, false, func(s *Stats) int64 { return s.Guarded }},
	{"/pool/blocks/pending:blocks", "Freed blocks that wait for a stream.", false, false, func(s *Stats) int64 { return s.Pending }},
	{"/pool/blocks/retired:blocks", "Free blocks that are not handed out again, as the generations of their handles are used up.", false, false, func(s *Stats) int64 { return s.Retired }},
	{"/pool/blocks/allocs:blocks", "Blocks handed out so far.", true, false, func(s *Stats) int64 { return s.Allocs }},
	{"/pool/blocks/frees:blocks", "Blocks freed so far.", true, false, func(s *Stats) int64 { return s.Frees }},
	{"/pool/chunks:chunks", "Chunks that make up the reserved bytes.", false, false, func(s *Stats) int64 { return s.Chunks }},
	{"/pool/asleep:pools", "Pools that are asleep.", false, false, func(s *Stats) int64 { return s.Asleep }},
	{"/pool/graphs:graphs", "Graphs that have memory for themselves.", false, false, func(s *Stats) int64 { return s.Graphs }},
	{"/pool/graphs/outputs:blocks", "Blocks in memory private to graphs that are live at their end.", false, false, func(s *Stats) int64 { return s.Outputs }},
	{"/pool/unreturned:objects", "Chunks and objects of the driver that could not be given back.", false, false, func(s *Stats) int64 { return s.Unreturned }},
	{"/pool/failures:allocations", "Allocations that failed so far.", true, false, func(s *Stats) int64 { return s.Failures }},
	{"/pool/soft-limit/crossings:events", "Times that the reserved bytes rose above the soft limit.", true, false, func(s *Stats) int64 { return s.SoftCrossings }},
	{"/pool/streams/waits:events", "Times that a stream was made to wait for another one that had freed the memory.", true, false, func(s *Stats) int64 { return s.StreamWaits }},
}

// Metrics lists the figures that [Stats] has, for monitoring systems. The list is a copy that the caller may change. Later versions may add figures.
//
// Package poolvars publishes the pools of a program with expvar, and module github.com/poolgen/poolgen/metrics/prometheus for Prometheus.
func Metrics() []Metric { return append([]Metric(nil), metrics...) }
