package driver

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Without a driver, streams fail with its error; a replay without streams goes on.
func TestStreamsNeedADriver(t *testing.T) {
	if cuda.Probe() == nil {
		t.Skip("there is a driver")
	}
	if list, end, err := Streams(0, 2); !errors.Is(err, poolrt.ErrNoDriver) || list != nil || end != nil || Name() != "" {
		t.Errorf("%d streams of %q, %v", len(list), Name(), err)
	}
	_, end, err := Streams(0, 0)
	fatal.If(t, err)
	if err := end(); err != nil {
		t.Error(err)
	}
}
