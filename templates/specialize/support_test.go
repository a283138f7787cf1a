package specialize_test

import "strings"

// lineDiff returns the lines in which two texts differ, with a little context: enough to read a failure.
func lineDiff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	for len(a) > start && len(b) > start && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out strings.Builder
	for _, l := range a[start:] {
		out.WriteString("-" + l + "\n")
	}
	for _, l := range b[start:] {
		out.WriteString("+" + l + "\n")
	}
	return out.String()
}
