// Package pprof reads the profiles of tests with go tool pprof.
package pprof

import (
	"os/exec"
	"testing"
)

// Read returns the output of go tool pprof for a profile. A profile that it cannot read fails the test; without the tool the test is skipped.
func Read(t testing.TB, profile string, flags ...string) string {
	t.Helper()
	if out, err := exec.Command("go", "tool", "-n", "pprof").CombinedOutput(); err != nil {
		t.Skipf("no pprof here: %v\n%s", err, out)
	}
	args := append([]string{"tool", "pprof"}, flags...)
	out, err := exec.Command("go", append(args, profile)...).CombinedOutput()
	if err != nil {
		t.Fatalf("pprof: %v\n%s", err, out)
	}
	return string(out)
}
