package runtime

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
