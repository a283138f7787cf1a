package graphs

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// Each launch leaves the result in the same place, and three layers take the memory of one.
func TestCapture(t *testing.T) {
	machine(t)
	s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
	if err != nil {
		t.Fatal(err)
	}
	graph, result, err := Capture(s, 3, 4<<20)
	if err != nil {
		t.Fatal(err)
	}
	private := graph.Private()
	if len(private.Outputs) != 1 || private.Outputs[0].Addr != result.Addr() || private.Bytes != result.Bytes() {
		t.Errorf("%+v", private)
	}
	for range 2 {
		if err := graph.Launch(s); err != nil {
			t.Fatal(err)
		}
		back := make([]byte, 4)
		if err := s.Synchronize(); err != nil {
			t.Fatal(err)
		}
		if err := cuda.CopyToHost(back, result.Addr()); err != nil || back[0] != 3 {
			t.Errorf("%v, %v", back, err)
		}
	}
	if err := FreeTemp(result); err == nil {
		t.Error("the result of a graph was freed")
	}
	for _, c := range []interface{ Close() error }{graph, s} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := DefaultTempPool().Trim(0); err != nil { // which returns the memory of the graph
		t.Error(err)
	}
}
