package poolrt

// Capturer is a pool whose stream calls can take part in the capture of a graph: one with capture: private in its pool file. Pass it to BeginCaptureWith of package
// cuda.
type Capturer interface {
	// CapturePool returns the pool as package cuda knows it.
	CapturePool() any
}
