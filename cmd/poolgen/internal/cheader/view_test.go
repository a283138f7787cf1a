package cheader

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Kernels allocate from views: testdata/view.cpp runs the function of the headers on threads of the host.
func TestViewAllocates(t *testing.T) {
	files := all(t, reflectArch(t))
	dir := t.TempDir()
	for _, name := range []string{"Scratch", "Bytes"} {
		if err := os.WriteFile(filepath.Join(dir, name+".h"), files[name], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "view.exe")
	if out, err := exec.Command(compiler(t, "g++"), "-std=c++17", "-O2", "-pthread", "-Wall", "-Wextra", "-Werror", "-I", dir, "-o", program, "testdata/view.cpp").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
