//go:build !(linux && (amd64 || arm64) && (cgo || poolgen_purego))

package native

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// A build that cannot call a driver says so, and does not look for a library.
func TestWithoutCgo(t *testing.T) {
	t.Setenv("POOLGEN_CUDA_LIBRARY", "libfake.so")
	d := Open()
	if Backend != "none" {
		t.Errorf("the backend is %q", Backend)
	}
	if s := d.Load(); s.Result != abi.NoCgo || s.Path != "" || s.Message == "" {
		t.Errorf("status %+v", s)
	}
	if _, r := d.MemAlloc(0, 8); r != abi.NoCgo {
		t.Errorf("an allocation: result %d", r)
	}
}
