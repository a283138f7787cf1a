//go:build cudasim

package driver

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/fatal"
)

// The streams are closed at the end, and also if one of them cannot be made.
func TestStreamsAreClosed(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	list, end, err := Streams(1, 3)
	fatal.If(t, err)
	if n := sim.Live()[sim.KindStream]; n != 3 || len(list) != 3 || list[0] == list[1] || list[2].Device() != 1 {
		t.Errorf("%d streams are live, %v", n, list)
	}
	if err := end(); err != nil || sim.Live()[sim.KindStream] != 0 {
		t.Errorf("at the end %d streams are live, %v", sim.Live()[sim.KindStream], err)
	}
	sim.Fail("cuStreamCreateWithPriority", 3, 2)
	if list, _, err := Streams(1, 3); err == nil || list != nil || sim.Live()[sim.KindStream] != 0 {
		t.Errorf("after a failure %d streams are live and %d returned, %v", sim.Live()[sim.KindStream], len(list), err)
	}
}
