package poolimpl

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// Pages apart are a mapping of their own, sealed or not: the system need not join mappings when they are sealed, nor split one when they are unsealed.
func TestPagesApart(t *testing.T) {
	size := 2 * int64(os.Getpagesize())
	chunks := make([]Chunk, 5)
	for i := range chunks {
		c, err := guardPages.AllocApart(size)
		fatal.If(t, err)
		t.Cleanup(func() { _ = guardPages.FreeApart(c) })
		clear(unsafeBytes(c.Ptr, size))
		chunks[i] = c
	}
	for _, change := range []func(Chunk) error{guardPages.Seal, guardPages.Unseal} {
		for _, c := range chunks {
			fatal.If(t, change(c))
		}
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip(err)
		}
		for _, c := range chunks {
			if want := fmt.Sprintf("%x-%x ", c.Addr, c.Addr+uint64(size)); !strings.Contains(string(maps), want) {
				t.Errorf("no mapping %sin\n%s", want, maps)
			}
		}
	}
}
