package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
)

// matches returns what the parentheses of an expression match in a text.
func matches(expression, text string) (found []string) {
	for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	fatal.If(t, err)
	return string(text)
}

// The list of symbols names each function once, and those that are simulated are those that this package exports.
func TestSymbolsAreThoseExported(t *testing.T) {
	simulated, others, _ := strings.Cut(read(t, "symbols.h"), "#define UNSUPPORTED")
	const entry = `\tF\(\w+, (\w+), \d+\)`
	listed := matches(entry, simulated)
	exported := matches(`\n(?:int) (cuGetProcAddress\w*)\([^;{]*\{`, read(t, "symbols.c"))
	files, err := filepath.Glob("*.go")
	fatal.If(t, err)
	for _, name := range files {
		exported = append(exported, matches(`\n//export (\w+)\n`, read(t, name))...)
	}
	slices.Sort(exported)
	if !slices.Equal(listed, exported) || len(listed) < 90 {
		t.Errorf("listed are %q\nexported are %q", listed, exported)
	}
	all := append(listed, matches(entry, others)...)
	slices.Sort(all)
	if n := len(all); len(slices.Compact(all)) != n {
		t.Error("a symbol is listed twice")
	}
}

// A program in C finds the functions and uses them.
func TestProgramInC(t *testing.T) {
	large.Only(t) // builds a library
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the library is for Linux on amd64 and arm64")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	library, client := filepath.Join(dir, "libcuda.so.1"), filepath.Join(dir, "client")
	for _, command := range []*exec.Cmd{
		exec.Command("go", "build", "-buildmode=c-shared", "-tags", "cudasim", "-o", library, "."),
		exec.Command(cc, "-std=gnu11", "-O1", "-o", client, "testdata/client.c", "-ldl"),
		exec.Command(client),
	} {
		command.Env = append(os.Environ(), "CGO_ENABLED=1", "LD_LIBRARY_PATH="+dir)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
}
