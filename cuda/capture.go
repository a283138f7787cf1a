package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// Graph is work that was captured, to be done any number of times.
type Graph struct {
	handle uintptr
	device Device
}

// IsCapturing tells whether the stream is noting its work down instead of doing it. Pools ask before they do what a capture forbids.
func (s Stream) IsCapturing() (bool, error) {
	t, ctx, h, err := s.table()
	if err != nil {
		return false, err
	}
	capturing, r := t.StreamIsCapturing(ctx, h)
	if r == abi.NoFunction {
		return false, nil // then there is no capture either
	}
	return capturing, check(r, "StreamIsCapturing", s.device, 0)
}

// BeginCapture makes the stream, which must not be a default stream, note its work down until EndCapture. Other streams that
// wait for an event recorded in it join in. Other goroutines are not kept from calls that a capture forbids (mode relaxed).
func (s Stream) BeginCapture() error {
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	return check(t.StreamBeginCapture(ctx, h), "StreamBeginCapture", s.device, 0)
}

// EndCapture returns what was noted down. The stream then does its work again.
func (s Stream) EndCapture() (Graph, error) {
	t, ctx, h, err := s.table()
	if err != nil {
		return Graph{}, err
	}
	g, r := t.StreamEndCapture(ctx, h)
	return Graph{handle: uintptr(g), device: s.device}, check(r, "StreamEndCapture", s.device, 0)
}

// Handle returns the driver's handle (CUgraph).
func (g Graph) Handle() uintptr { return g.handle }

// Launch puts the work in a stream, once. Each launch prepares the graph anew, which takes some microseconds per piece of work: what is
// launched thousands of times wants a binding that keeps it prepared.
func (g Graph) Launch(s Stream) error {
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	return check(t.GraphLaunch(ctx, abi.Graph(g.handle), h), "GraphLaunch", s.device, 0)
}

// Close forgets the graph. Launches under way are done.
func (g Graph) Close() error {
	t, _, err := g.device.table()
	if err != nil {
		return err
	}
	return check(t.GraphDestroy(abi.Graph(g.handle)), "GraphDestroy", g.device, 0)
}
