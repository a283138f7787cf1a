// Package large tells tests how much to do. By default, each does what shows most faults in the least time: go test ./... is for people, who wait for it. With
//
//	POOLGEN_TESTS=large go test ./...
//
// they do all that .ci/run wants of them. The table in tests/README.md says which tests have a large form.
package large

import (
	"os"
	"testing"
)

// Form reports whether the tests run in their large form.
func Form() bool { return os.Getenv("POOLGEN_TESTS") == "large" }

// Or returns what a test takes in its large form, or otherwise.
func Or[T any](large, small T) T {
	if Form() {
		return large
	}
	return small
}

// Only skips a test, or a part of one, that only the large form has.
func Only(t testing.TB) {
	t.Helper()
	if !Form() {
		t.Skip("wants POOLGEN_TESTS=large")
	}
}
