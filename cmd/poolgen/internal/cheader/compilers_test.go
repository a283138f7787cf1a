package cheader

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compiler skips the test where there is no such C compiler, unless POOLGEN_CC=required says that there has to be.
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

// dialects are the languages that headers are for, in which nothing in them may be worth a warning.
var dialects = [][]string{{"gcc", "-x", "c", "-std=c11"}, {"gcc", "-x", "c", "-std=gnu17"}, {"g++", "-x", "c++", "-std=c++11"}, {"g++", "-x", "c++", "-std=c++20"}}

// compile compiles a text that may include headers, and returns what the compiler says when it does not accept them.
func compile(t *testing.T, dialect []string, text string, headers map[string][]byte) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range headers {
		if err := os.WriteFile(filepath.Join(dir, name+".h"), text, 0o644); err != nil {
			t.Fatal(err)
		}
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

// Each header is accepted by itself, twice, and together with all that have the same types.
func TestCompilersAcceptHeaders(t *testing.T) {
	files := all(t, reflectArch(t))
	for _, dialect := range dialects {
		var together []string
		for name := range files {
			if out, err := compile(t, dialect, include(name, name), files); err != nil {
				t.Errorf("%s with %v: %v\n%s", name, dialect, err, out)
			}
			if name != "OfNested" { // which has a type odd_Plain of another package
				together = append(together, name)
			}
		}
		slices.Sort(together)
		if out, err := compile(t, dialect, include(together...), files); err != nil {
			t.Errorf("all with %v: %v\n%s", dialect, err, out)
		}
	}
}

// What is not as Go has it does not compile: an offset, a size, an alignment, a type, a machine, and two types of one name.
func TestCompilersRefuseOtherLayouts(t *testing.T) {
	files := all(t, reflectArch(t))
	for _, fault := range []struct{ header, old, new string }{
		{"OfHoles", "offsetof(odd_Holes, D) == 8", "offsetof(odd_Holes, D) == 16"},
		{"OfHoles", "sizeof(odd_Holes) == 32", "sizeof(odd_Holes) == 24"},
		{"OfWide", "POOLGEN_ALIGNAS(8) ", ""},
		{"OfHoles", "uint8_t _pad1[3]", "uint8_t _pad1[13]"},
		{"OfHoles", "int16_t B", "int32_t B"},
		{"OfHoles", "sizeof(void *) == 8", "sizeof(void *) == 4"},
		{"OfPlain", "typedef struct odd_Plain {\n", "typedef struct odd_Plain {\n\tint first;\n"},
	} {
		text := strings.Replace(string(files[fault.header]), fault.old, fault.new, 1)
		if text == string(files[fault.header]) {
			t.Errorf("%s has no %q", fault.header, fault.old)
		}
		for _, dialect := range dialects {
			if out, err := compile(t, dialect, include(fault.header), map[string][]byte{fault.header: []byte(text)}); err == nil || !strings.Contains(out, "static assertion failed") {
				t.Errorf("%s with %q instead of %q: %v says %v\n%s", fault.header, fault.new, fault.old, dialect, err, out)
			}
		}
	}
	for _, dialect := range dialects {
		if out, err := compile(t, dialect, include("OfNested", "OfPlain"), files); err == nil || !strings.Contains(out, "odd_Plain") {
			t.Errorf("%v takes odd_Plain of two packages for one: %v %s", dialect, err, out)
		}
	}
}

// Headers for 32 bits are accepted there, and nowhere else.
func TestCompilersOf32Bits(t *testing.T) {
	files := all(t, "386")
	small := []string{"gcc", "-x", "c", "-std=c11", "-m32", "-ffreestanding"}
	if out, err := compile(t, small, "int x;", nil); err != nil {
		t.Skipf("no compiler for 386: %s", out)
	}
	for name := range files {
		if out, err := compile(t, small, include(name), files); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if _, err := compile(t, dialects[0], include("OfNumbers"), files); err == nil {
		t.Error("the header for 386 is accepted on another machine")
	}
}
