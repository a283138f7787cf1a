package cli

import (
	"slices"
	"testing"
)

// generate --watch acts on what two looks in a row have shown, and not on a file that is being saved.
func TestWatchWaitsForWholeFiles(t *testing.T) {
	for _, test := range []struct {
		name       string
		seen, acts []string // the first look is before the first run
	}{
		{"no change", []string{"a", "a", "a"}, []string{"a"}},
		{"saved at once", []string{"a", "b", "b", "b"}, []string{"a", "b"}},
		{"saved in parts", []string{"a", "", "half", "b", "b", "b"}, []string{"a", "b"}},
		{"saved as it was", []string{"a", "half", "a", "a"}, []string{"a"}},
		{"away for long", []string{"a", "missing", "missing", "a", "a"}, []string{"a", "missing", "a"}},
		{"saved all the time", []string{"a", "b", "c", "d", "e"}, []string{"a"}},
	} {
		looks, acts := 0, []string(nil)
		look := func() string {
			looks++
			return test.seen[looks-1]
		}
		onChange(func() bool { return looks < len(test.seen) }, look, func() { acts = append(acts, test.seen[looks-1]) })
		if !slices.Equal(acts, test.acts) {
			t.Errorf("%s: acts on %q, want %q", test.name, acts, test.acts)
		}
	}
}
