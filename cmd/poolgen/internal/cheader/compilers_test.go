package cheader

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
)

// compiler skips the test if there is no such C compiler, unless POOLGEN_CC=required demands one.
func compiler(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("POOLGEN_CC") == "required" {
			t.Fatal(err)
		}
		t.Skipf("headers are not compiled: %v", err)
	}
	return path
}

// dialects are the languages that headers are for, the oldest first: it refuses most. In none of them may a header cause a warning.
var dialects = [][]string{{"gcc", "-x", "c", "-std=c11"}, {"g++", "-x", "c++", "-std=c++11"}, {"gcc", "-x", "c", "-std=gnu17"}, {"g++", "-x", "c++", "-std=c++20"}}[:large.Or(4, 2)]

// compile compiles a text that may include headers, and returns what the compiler says when it does not accept them.
func compile(t *testing.T, dialect []string, text string, headers map[string][]byte) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range headers {
		fatal.If(t, os.WriteFile(filepath.Join(dir, name+".h"), text, 0o644))
	}
	cmd := exec.Command(compiler(t, dialect[0]), append(slices.Clone(dialect[1:]), "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", dir, "-fsyntax-only", "-")...)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// include includes headers.
func include(names ...string) (text string) {
	for _, name := range names {
		text += "#include \"" + name + ".h\"\n"
	}
	return text
}

// Each header is accepted by itself, twice, and together with all others, in either order; by itself, the small form asks C only.
func TestCompilersAcceptHeaders(t *testing.T) {
	files := all(t, reflectArch(t))
	forward := slices.Sorted(maps.Keys(files))
	backward := slices.Clone(forward)
	slices.Reverse(backward)
	for i, dialect := range dialects {
		for name := range files {
			if i > 0 && !large.Form() {
				break
			}
			if out, err := compile(t, dialect, include(name, name), files); err != nil {
				t.Errorf("%s with %v: %v\n%s", name, dialect, err, out)
			}
		}
		for _, names := range [][]string{forward, backward} {
			if out, err := compile(t, dialect, include(names...), files); err != nil {
				t.Errorf("all with %v: %v\n%s", dialect, err, out)
			}
		}
	}
}

// faults are changes to headers. Each makes something differ from Go: an offset, a size, an alignment, a type, a machine.
var faults = []struct{ header, old, new string }{
	{"OfHoles", "POOLGEN_OFFSETOF(odd_Holes, D) == 8", "POOLGEN_OFFSETOF(odd_Holes, D) == 16"},
	{"OfHoles", "sizeof(odd_Holes) == 32", "sizeof(odd_Holes) == 24"},
	{"OfWide", "POOLGEN_ALIGNAS(8) ", ""},
	{"OfHoles", "uint8_t _pad1[3]", "uint8_t _pad1[13]"},
	{"OfHoles", "int16_t B", "int32_t B"},
	{"OfHoles", "sizeof(void *) == 8", "sizeof(void *) == 4"},
	{"OfPlain", "typedef struct odd_Plain {\n", "typedef struct odd_Plain {\n\tint first;\n"},
}

// changed applies the fault to a header.
func changed(t *testing.T, text []byte, old, new string) []byte {
	t.Helper()
	if !bytes.Contains(text, []byte(old)) {
		t.Errorf("the header has no %q", old)
	}
	return bytes.Replace(text, []byte(old), []byte(new), 1)
}

// A header that differs from Go does not compile.
func TestCompilersRefuseOtherLayouts(t *testing.T) {
	files := all(t, reflectArch(t))
	for _, fault := range faults {
		text := changed(t, files[fault.header], fault.old, fault.new)
		for _, dialect := range dialects {
			if out, err := compile(t, dialect, include(fault.header), map[string][]byte{fault.header: text}); err == nil || !strings.Contains(out, "static assertion failed") {
				t.Errorf("%s with %q instead of %q: %v says %v\n%s", fault.header, fault.new, fault.old, dialect, err, out)
			}
		}
	}
}

// Two types of one name, in headers of two pool files, are an error.
func TestCompilersRefuseTwoTypesOfOneName(t *testing.T) {
	files, _ := headers(t, reflectArch(t), "  - {name: Mine, item: odd.Nested, c_header: true}\n")
	others, _ := headers(t, reflectArch(t), "  - {name: Other, item: odd.Plain, c_header: true}\n")
	maps.Copy(files, others)
	for _, dialect := range dialects {
		if out, err := compile(t, dialect, include("Mine", "Other"), files); err == nil || !strings.Contains(out, "odd_Plain") {
			t.Errorf("%v takes odd_Plain of two packages for one: %v %s", dialect, err, out)
		}
	}
}

// Headers for 32 bits are accepted there, and nowhere else.
func TestCompilersOf32Bits(t *testing.T) {
	large.Only(t)
	files := all(t, "386")
	for _, small := range [][]string{{"gcc", "-x", "c", "-std=c11", "-m32", "-ffreestanding"}, {"g++", "-x", "c++", "-std=c++17", "-m32", "-ffreestanding"}} {
		if out, err := compile(t, small, "int x;", nil); err != nil {
			t.Skipf("no compiler for 386: %s", out)
		}
		for name := range files {
			if out, err := compile(t, small, include(name), files); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	}
	if _, err := compile(t, dialects[0], include("OfNumbers"), files); err == nil {
		t.Error("the header for 386 is accepted on another machine")
	}
}

// standardHeaders are what a program may include first.
const standardHeaders = "#include <assert.h>\n#include <complex.h>\n#include <ctype.h>\n#include <errno.h>\n#include <float.h>\n#include <limits.h>\n#include <locale.h>\n" +
	"#include <math.h>\n#include <setjmp.h>\n#include <signal.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"

// Headers compile together with those of the system, whether these come before or after.
func TestCompilersAcceptHeadersAmongOthers(t *testing.T) {
	files := all(t, reflectArch(t))
	names := include(slices.Sorted(maps.Keys(files))...)
	for _, dialect := range dialects {
		for _, text := range []string{standardHeaders + "#ifndef __cplusplus\n#include <stdnoreturn.h>\n#endif\n" + names, names + standardHeaders} {
			if out, err := compile(t, dialect, text, files); err != nil {
				t.Errorf("%v: %v\n%s", dialect, err, out)
			}
		}
	}
}
