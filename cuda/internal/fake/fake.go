// Package fake is for tests of code that finds a library, such as a driver or a profiler, through the environment, once in a process. It builds such
// a library in C, and runs a test again in a process that finds it.
package fake

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// built are the libraries that the process has built, by the source and the switches.
var built sync.Map

// Library builds a library of one source, with switches of the compiler, once, and returns the path of a copy. Without a C compiler the test is skipped.
func Library(t *testing.T, source string, switches ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to build a library with")
	}
	path := filepath.Join(t.TempDir(), "libfake.so")
	args := append([]string{"-shared", "-fPIC", "-O1", source}, switches...)
	key := strings.Join(args, " ")
	if library, ok := built.Load(key); ok {
		if err := os.WriteFile(path, library.([]byte), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if out, err := exec.Command(cc, append(args, "-o", path)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	library, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	built.Store(key, library)
	return path
}

// inside is the variable that names the test which is run again.
const inside = "POOLGEN_TEST_INSIDE"

// Inside reports whether the test is being run again.
func Inside(t *testing.T) bool { return os.Getenv(inside) == t.Name() }

// Again runs the test in a process of its own, in which Inside is true, with additional environment variables.
func Again(t *testing.T, environment ...string) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	c.Env = append(append(os.Environ(), inside+"="+t.Name()), environment...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS") {
		t.Errorf("nothing was tested:\n%s", out)
	}
}
