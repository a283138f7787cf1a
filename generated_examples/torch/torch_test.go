package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs are programs that use the library: one is linked with it, the other loads it while it runs.
var programs = []struct{ name, compiler, tags, file, link string }{
	{"C", "cc", "cudasim", "client.c", "-ltorchpools"},
	{"C++", "c++", "cudasim,torch", "throws.cc", "-ldl"},
}

// build builds the library, with the simulated driver inside, and a program that uses it.
func build(t testing.TB, compiler, tags, file, link string) (program, library string) {
	t.Helper()
	if do(t, "go", "env", "CGO_ENABLED") != "1" {
		t.Skip("there is no cgo")
	}
	if _, err := exec.LookPath(compiler); err != nil && os.Getenv("POOLGEN_CC") != "required" {
		t.Skip(err)
	}
	source := filepath.Join("testdata", file)
	if _, err := os.Stat(source); err != nil { // the go command now runs the test again when the file has changed
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, library = filepath.Join(dir, "program"), filepath.Join(dir, "libtorchpools.so")
	do(t, "go", "build", "-tags", tags, "-buildmode=c-shared", "-o", library, ".")
	do(t, compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-o", program, source, "-L", dir, link, "-Wl,-rpath,"+dir, "-lpthread")
	return program, library
}

// do runs a command and returns what it prints.
func do(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestPrograms runs programs in C and C++: allocations and frees on streams, from several threads, each error, statistics.
func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			program, library := build(t, p.compiler, p.tags, p.file, p.link)
			if got := do(t, program, library); got != "ok" {
				t.Error(got)
			}
		})
	}
}

// BenchmarkFromC measures the processor time of an allocation and its free from C. nothing is two calls of a function in Go that does nothing: what is left is the pool's.
func BenchmarkFromC(b *testing.B) {
	p := programs[0]
	program, _ := build(b, p.compiler, p.tags, p.file, p.link)
	for _, what := range []string{"nothing", "scratch", "tensor"} {
		for _, threads := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/threads=%d", what, threads), func(b *testing.B) {
				var ns float64
				if _, err := fmt.Sscan(do(b, program, "bench", what, fmt.Sprint(b.N), fmt.Sprint(threads)), &ns); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(ns, "ns/op")
			})
		}
	}
}

// BenchmarkFromGo measures the same in Go: what a pool takes without the way from C.
func BenchmarkFromGo(b *testing.B) {
	for b.Loop() {
		block, err := scratchDefault.Alloc(256)
		if err == nil {
			err = scratchDefault.Free(block)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
