//go:build !pooltrace

package tracing

import (
	"errors"
	"io"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Without the tag, functions that need it return an error that names the tag, without figures of a pool.
func TestWithoutTheTag(t *testing.T) {
	_, recorded := poolrt.Record(io.Discard)
	for name, err := range map[string]error{
		"Record": recorded, "SetFlightRecorder": poolrt.SetFlightRecorder(1), "SetSampling": poolrt.SetSampling(1), "WriteAllocProfile": poolrt.WriteAllocProfile(io.Discard),
	} {
		if !errors.Is(err, poolrt.ErrUnsupported) || !strings.HasSuffix(err.Error(), "-tags pooltrace") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
