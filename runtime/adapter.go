package poolrt

// AdapterStats counts the buffers of an adapter that were not blocks of its pool. The blocks are counted in [Stats] of the pool, and requests that the pool could
// not serve in Stats.Failures, which is a metric.
type AdapterStats struct {
	Fallbacks     int64 `json:"fallbacks"`      // buffers that were made on the Go heap, as the pool had no block
	FallbackBytes int64 `json:"fallback_bytes"` // bytes of these
	Foreign       int64 `json:"foreign"`        // buffers put back that are not memory of the pool, such as those of Fallbacks: the garbage collector frees them
	Refused       int64 `json:"refused"`        // buffers put back that the pool refused: a second time, or without their beginning or the rest of their capacity
}
