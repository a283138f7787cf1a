package cheader

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
)

// Kernels allocate from views: testdata/view.cpp runs the function of the headers on threads of the host.
func TestViewAllocates(t *testing.T) {
	runOnHost(t, "testdata/view.cpp", "-O2")
}

// Kernels allocate and free items: testdata/fixed.cpp runs the functions of the headers on threads of the host, which the thread sanitizer watches if the
// compiler has it.
func TestFixedViewAllocatesAndFrees(t *testing.T) {
	runOnHost(t, "testdata/fixed.cpp", "-O2")
	t.Run("thread sanitizer", func(t *testing.T) {
		large.Only(t)
		if _, err := exec.Command(compiler(t, "g++"), "-fsanitize=thread", "-x", "c++", "-shared", "-o", filepath.Join(t.TempDir(), "probe"), os.DevNull).CombinedOutput(); err != nil {
			t.Skip("the compiler has no thread sanitizer")
		}
		runOnHost(t, "testdata/fixed.cpp", "-O1", "-g", "-fsanitize=thread")
	})
}

// runOnHost compiles a program that includes headers, with switches, and runs it.
func runOnHost(t *testing.T, source string, switches ...string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range all(t, reflectArch(t)) {
		fatal.If(t, os.WriteFile(filepath.Join(dir, name+".h"), text, 0o644))
	}
	program := filepath.Join(dir, "view.exe")
	args := append([]string{"-std=c++17", "-pthread", "-Wall", "-Wextra", "-Werror", "-I", dir, "-o", program, source}, switches...)
	if out, err := exec.Command(compiler(t, "g++"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
