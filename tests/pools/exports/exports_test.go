package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program in C calls each function of a pool of each form. The header is also one of C++ and of the oldest C.
func TestForms(t *testing.T) {
	if do(t, "go", "env", "CGO_ENABLED") != "1" {
		t.Skip("there is no cgo")
	}
	source := filepath.Join("testdata", "forms.c")
	if _, err := os.Stat(source); err != nil { // the go command now runs the test again when the file has changed
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	do(t, "go", "build", "-tags", "cudasim", "-buildmode=c-shared", "-o", filepath.Join(dir, "libforms.so"), ".")
	do(t, "cc", "-Wall", "-Wextra", "-Wstrict-prototypes", "-Werror", "-o", program, source, "-L", dir, "-lforms", "-Wl,-rpath,"+dir)
	if got := do(t, program); got != "ok" {
		t.Error(got)
	}
	for _, dialect := range []string{"c99", "c++11"} {
		language, _, _ := strings.Cut(dialect, "9")
		do(t, "cc", "-x", strings.TrimSuffix(language, "11"), "-std="+dialect, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-include", "poolgen.h", "/dev/null")
	}
}

// do runs a command and returns what it prints.
func do(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return strings.TrimSpace(string(out))
}
