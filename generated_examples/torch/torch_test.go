package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs are programs that use the library: one is linked with it, the other loads it while it runs, and calls torch.cc.
var programs = []struct{ name, compiler, file, link string }{
	{"C", "cc", "client.c", "-ltorchpools"},
	{"C++", "c++", "throws.cc", "-ldl"},
}

// library builds the library, with the simulated driver inside, and returns its path. Without a compiler of C++ it lacks torch.cc.
func library(t testing.TB) string {
	t.Helper()
	if do(t, "go", "env", "CGO_ENABLED") != "1" {
		t.Skip("there is no cgo")
	}
	tags := "cudasim,torch"
	if lacks("c++") {
		tags = "cudasim"
	}
	path := filepath.Join(t.TempDir(), "libtorchpools.so")
	do(t, "go", "build", "-tags", tags, "-buildmode=c-shared", "-o", path, ".")
	return path
}

// lacks reports whether there is no such compiler, and need not be one.
func lacks(compiler string) bool {
	_, err := exec.LookPath(compiler)
	return err != nil && os.Getenv("POOLGEN_CC") != "required"
}

// build builds a program that uses the library.
func build(t testing.TB, library, compiler, file, link string) string {
	t.Helper()
	if lacks(compiler) {
		t.Skip("there is no " + compiler)
	}
	source, program, dir := filepath.Join("testdata", file), filepath.Join(t.TempDir(), "program"), filepath.Dir(library)
	if _, err := os.Stat(source); err != nil { // the go command now runs the test again when the file has changed
		t.Fatal(err)
	}
	do(t, compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-o", program, source, "-L", dir, link, "-Wl,-rpath,"+dir, "-lpthread")
	return program
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
	library := library(t)
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			if got := do(t, build(t, library, p.compiler, p.file, p.link), library); got != "ok" {
				t.Error(got)
			}
		})
	}
}

// BenchmarkFromC measures the processor time of an allocation and its free from C. nothing is two calls of a function in Go that does nothing: what is left is the pool's.
func BenchmarkFromC(b *testing.B) {
	p := programs[0]
	program := build(b, library(b), p.compiler, p.file, p.link)
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
