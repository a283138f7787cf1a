package compile

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Files says how far it is, and ends in the middle with its context.
func TestFilesEndsWithItsContext(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // pools at once
	var text strings.Builder
	text.WriteString("version: 1\npackage: p\npools:\n")
	for i := range 40 {
		fmt.Fprintf(&text, "  - {name: P%d}\n", i)
	}
	plan := planOf(t, text.String())
	for _, last := range []int{0, 1, 5, 9} {
		ctx, cancel := context.WithCancel(t.Context())
		var said []int
		files, found := Files(ctx, plan, "poolgen.yaml", "test", nil, func(percent int) {
			said = append(said, percent)
			if percent == 10*last {
				cancel()
			}
		})
		cancel()
		if ended := last > 0; ended != (files == nil) || len(found) > 0 || ended && slices.Max(said) > 10*last+10 {
			t.Errorf("ended at %d %%: %d files, %v; it said %d", 10*last, len(files), found, said)
		}
		if last == 0 && !slices.Equal(said, []int{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}) {
			t.Errorf("it said %d", said)
		}
	}
}
