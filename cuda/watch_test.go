//go:build cudasim

package cuda

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator"
)

// Pools ask about captures of other bindings from the first stream of another binding on, unless the program has said whether they should.
func TestWatchBegins(t *testing.T) {
	defer WatchCaptures(false)
	simulator.Default().Reset(simulator.Config{})
	_, ctx, err := Device(0).table()
	h, r := simulator.Default().StreamCreate(ctx, abi.StreamNonBlocking, 0)
	if err != nil || r != abi.Success {
		t.Fatal(err, r)
	}
	for _, told := range []bool{false, true} {
		captures.watched, captures.told = false, told
		captures.count()
		for _, handle := range []uintptr{0, uintptr(h)} {
			if _, err := StreamOf(0, handle); err != nil {
				t.Fatal(err)
			}
			if want := handle != 0 && !told; Capturing() != want {
				t.Errorf("the program has told: %v; handle %#x: pools ask: %v", told, handle, !want)
			}
		}
		keptStreams.forget(uintptr(h))
	}
}
