//go:build pooltrace

package tracing

import (
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

// size is the length of a block in the tests.
const size = forms.Size

// each runs a test with each form of a pool, which is closed when the test ends.
func each(t *testing.T, f func(t *testing.T, p forms.Pool)) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		t.Cleanup(func() { fatal.If(t, p.CloseForce()) })
		f(t, p)
	})
}

func place(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
