package gates

import (
	"debug/elf"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// linking is how a program without cgo is linked.
type linking struct {
	loader    bool     // it asks for the system's loader
	libraries []string // that it needs
}

// linkingOf builds a program with pools of devices, without cgo, and returns how it is linked.
func linkingOf(t *testing.T, arch, tags string) (l linking) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	command := tempmod.Command{Dir: tempmod.Root(t), Env: []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + arch}}
	args := []string{"build", "-tags", tags, "-o", file}
	if arch != runtime.GOARCH { // as .ci/run builds for other processors: what both need is compiled once, and sooner
		args = append(args, "-gcflags=all=-N -l")
	}
	if _, diag, err := command.Go(append(args, "./generated_examples/demandload")...); err != nil {
		t.Fatalf("go build: %v\n%s", err, diag)
	}
	program, err := elf.Open(file)
	fatal.If(t, err)
	defer program.Close()
	for _, p := range program.Progs {
		l.loader = l.loader || p.Type == elf.PT_INTERP
	}
	if l.libraries, err = program.ImportedLibraries(); err != nil && l.loader {
		t.Fatal(err)
	}
	return l
}

// TestProgramsWithoutCgoAreStatic checks that a program without cgo needs no loader and no library, unless the tag poolgen_purego asks for them: it then
// needs those of libc, and no library of CUDA.
func TestProgramsWithoutCgoAreStatic(t *testing.T) {
	large.Only(t) // builds programs
	for _, arch := range []string{"amd64", "arm64"} {
		for _, tags := range []string{"", "cudasim", "cudasim,poolgen_purego"} {
			if l := linkingOf(t, arch, tags); l.loader || len(l.libraries) > 0 {
				t.Errorf("%s, tags %q: it needs the loader (%v) and %q", arch, tags, l.loader, l.libraries)
			}
		}
		l := linkingOf(t, arch, "poolgen_purego")
		foreign := slices.DeleteFunc(slices.Clone(l.libraries), func(name string) bool {
			return slices.Contains([]string{"libc.so.6", "libdl.so.2", "libpthread.so.0"}, name)
		})
		if !l.loader || len(l.libraries) == 0 || len(foreign) > 0 {
			t.Errorf("%s, with the tag: it needs the loader (%v) and %q", arch, l.loader, l.libraries)
		}
	}
}

// TestPuregoIsForTheTag checks that no other build compiles module purego, be it with cgo or without.
func TestPuregoIsForTheTag(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	const purego = "github.com/ebitengine/purego"
	for _, build := range []struct {
		cgo, tags string
		want      bool
	}{
		{"0", "", false}, {"1", "", false}, {"0", "cudasim", false}, {"0", "cudasim,poolgen_purego", false},
		{"1", "poolgen_purego", false}, {"0", "poolgen_purego", true},
	} {
		command := tempmod.Command{Dir: tempmod.Root(t), Env: []string{"CGO_ENABLED=" + build.cgo, "GOOS=linux", "GOARCH=amd64"}}
		stdout, diag, err := command.Go("list", "-deps", "-tags", build.tags, "./cuda")
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, diag)
		}
		if got := slices.Contains(strings.Fields(stdout), purego); got != build.want {
			t.Errorf("CGO_ENABLED=%s, tags %q: %s is linked: %v", build.cgo, build.tags, purego, got)
		}
	}
}
