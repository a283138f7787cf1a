//go:build cgo && linux && (amd64 || arm64)

package nvtx

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A process looks for a profiler once. So the test runs again in a process of its own that has one.
func TestListener(t *testing.T) {
	if os.Getenv("POOLGEN_TEST_HEARD") != "" {
		Push("outer")
		Mark("here")
		Pop()
		NameStream(0xab, "copies")
		return
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to build a profiler with")
	}
	library, heard := filepath.Join(t.TempDir(), "listener.so"), filepath.Join(t.TempDir(), "heard")
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", library, "testdata/listener.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestListener$")
	c.Env = append(os.Environ(), "NVTX_INJECTION64_PATH="+library, "POOLGEN_TEST_HEARD="+heard)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(heard)
	if want := "push outer\nmark here\npop\nstream ab copies\n"; err != nil || string(got) != want {
		t.Errorf("the profiler heard %q, %v", got, err)
	}
}

func TestNobodyListens(t *testing.T) {
	if On() {
		t.Skip("somebody does")
	}
	Mark("x")
	Push("x")
	Pop()
	NameStream(1, "x")
}
