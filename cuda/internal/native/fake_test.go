//go:build cgo && linux && (amd64 || arm64)

package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// A process loads one driver for good. So each test that wants one runs again in a process of its own, with the fake in the
// environment.

// library builds the fake driver with switches of the compiler.
func library(t *testing.T, switches ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to build a fake driver with")
	}
	path := filepath.Join(t.TempDir(), "libfake.so")
	args := append([]string{"-shared", "-fPIC", "-O1", "-o", path, "testdata/fake.c"}, switches...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// inFake returns the driver inside the process that has one. Outside it runs the test there and returns nil.
func inFake(t *testing.T, switches ...string) abi.Driver {
	t.Helper()
	if os.Getenv("POOLGEN_TEST_INSIDE") == t.Name() {
		return Open()
	}
	again(t, library(t, switches...))
	return nil
}

// again runs the test in a new process that finds path as the driver.
func again(t *testing.T, path string) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	c.Env = append(os.Environ(), "POOLGEN_TEST_INSIDE="+t.Name(), "POOLGEN_CUDA_LIBRARY="+path)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS") {
		t.Errorf("nothing was tested:\n%s", out)
	}
}
