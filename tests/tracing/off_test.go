//go:build !pooltrace

package tracing

import (
	"errors"
	"io"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Without the tag, what needs it says so.
func TestWithoutTheTag(t *testing.T) {
	_, recorded := poolrt.Record(io.Discard)
	for name, err := range map[string]error{
		"Record": recorded, "SetFlightRecorder": poolrt.SetFlightRecorder(1), "SetSampling": poolrt.SetSampling(1), "WriteAllocProfile": poolrt.WriteAllocProfile(io.Discard),
	} {
		if !errors.Is(err, poolrt.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
