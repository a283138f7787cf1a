package cheader

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// nvrtc compiles CUDA C++ at run time.
type nvrtc struct{ program, library string }

// newNVRTC skips the test unless POOLGEN_NVRTC names the library of NVRTC, which is part of the CUDA toolkit and of packages for Linux and Python. No
// GPU is needed.
func newNVRTC(t *testing.T) nvrtc {
	t.Helper()
	n := nvrtc{filepath.Join(t.TempDir(), "nvrtc.exe"), os.Getenv("POOLGEN_NVRTC")}
	if n.library == "" {
		t.Skip("POOLGEN_NVRTC names no library")
	}
	if out, err := exec.Command(compiler(t, "gcc"), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", n.program, "testdata/nvrtc.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return n
}

// compile compiles a text, and returns what NVRTC says and whether it accepts it.
func (n nvrtc) compile(t *testing.T, text string, headers map[string][]byte, options ...string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range headers {
		fatal.If(t, os.WriteFile(filepath.Join(dir, name+".h"), text, 0o644))
	}
	file := filepath.Join(dir, "kernel.cu")
	fatal.If(t, os.WriteFile(file, []byte(text), 0o644))
	out, err := exec.Command(n.program, append([]string{n.library, file, "-I" + dir}, options...)...).CombinedOutput()
	if e := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &e) || e.ExitCode() != 1) {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out), err == nil
}

// kernelText has kernels that allocate from views: one writes a field of an item, one frees its item.
const kernelText = `
extern "C" __global__ void fill(scene_Scratch_view *view, unsigned long long *failed)
{
	odd_Plain *p = scene_Scratch_alloc(view, 3);
	if (p == NULL)
		atomicAdd(failed, 1ull);
	else
		p[2].Z = (float)threadIdx.x;
}

extern "C" __global__ void pair(scene_Node_view *view, unsigned long long *failed)
{
	odd_Plain *p = scene_Node_alloc(view);
	if (p == NULL || scene_Node_index(view, p) >= view->fixed.count || !scene_Node_free(view, p))
		atomicAdd(failed, 1ull);
}
`

// NVRTC, which has no system headers, accepts all headers, and a kernel that uses them, without a warning. The declarations by which programs replace
// system headers change nothing.
func TestNVRTCAcceptsHeaders(t *testing.T) {
	n, files := newNVRTC(t), all(t, "amd64")
	names := slices.Sorted(maps.Keys(files))
	for _, std := range []string{"-std=c++11", "-std=c++14", "-std=c++17"} {
		for what, before := range map[string]string{
			"alone":                       "",
			"with the types declared":     "typedef signed char int8_t;\ntypedef unsigned long long uint64_t;\n",
			"with a stdint.h of others":   "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t; typedef unsigned long uintptr_t;\n#define UINT64_MAX 0xfffffffffffffffful\n",
			"with an offsetof of another": "#define offsetof(type, member) ((size_t)((char *)&(((type *)0)->member) - (char *)0))\n",
		} {
			if out, ok := n.compile(t, before+include(names...)+kernelText, files, std); !ok || strings.TrimSpace(out) != "" {
				t.Errorf("%s, %s: accepted: %t\n%s", std, what, ok, out)
			}
		}
	}
}

// A header that differs from Go does not compile with NVRTC, either.
func TestNVRTCRefusesOtherLayouts(t *testing.T) {
	n, files := newNVRTC(t), all(t, "amd64")
	for _, fault := range faults {
		text := changed(t, files[fault.header], fault.old, fault.new)
		if out, ok := n.compile(t, include(fault.header), map[string][]byte{fault.header: text}, "-std=c++17"); ok || !strings.Contains(out, "static assertion failed") {
			t.Errorf("%s with %q instead of %q: accepted: %t\n%s", fault.header, fault.new, fault.old, ok, out)
		}
	}
}

// withoutSystem declares what is built into NVRTC.
const withoutSystem = `typedef __SIZE_TYPE__ size_t;
#define NULL nullptr
#define __CUDACC_RTC__
`

// Without system headers, as with NVRTC, the headers need none. The test uses g++, which implements offsetof by another operator.
func TestHeadersNeedNoOthers(t *testing.T) {
	files := all(t, reflectArch(t))
	for name, text := range files {
		files[name] = changed(t, text, "((size_t)__INTADDR__(&((type *)0)->member))", "__builtin_offsetof(type, member)")
	}
	bare := []string{"g++", "-x", "c++", "-std=c++17", "-nostdinc"}
	if out, err := compile(t, bare, withoutSystem+include(slices.Sorted(maps.Keys(files))...), files); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	files["OfPlain"] = changed(t, files["OfPlain"], "#ifndef __CUDACC_RTC__\n", "#if 1\n")
	if out, err := compile(t, bare, withoutSystem+include("OfPlain"), files); err == nil || !strings.Contains(out, "stddef.h") {
		t.Errorf("a header of the system is found all the same: %v\n%s", err, out)
	}
}
