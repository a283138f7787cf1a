//go:build !cudasim

package allreduce

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// machine skips the test where there is no GPU, and says why.
func machine(t *testing.T) {
	t.Helper()
	if err := cuda.Probe(); err != nil {
		t.Skip(err)
	}
}
