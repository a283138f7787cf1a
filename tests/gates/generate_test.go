package gates

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// changes are pool files before and after a change that removes generated files. A file whose text is empty is removed.
var changes = map[string]struct{ before, after map[string]string }{
	"files behind the line":    change("pools:\n"+vertex+wave, "pools: [{name: Edge}]\n"),
	"files of another package": change("output: gen\npools:\n"+vertex+wave, "output: gen\npools: [{name: Edge}]\n"),
	"all of another package":   change("output: wide/gen\npools:\n"+vertex+wave, "output: gen\npools:\n"+vertex+wave),
	"into another package":     change("pools:\n"+vertex+wave, "output: wide\npools:\n"+vertex+wave),
	"a pool is renamed":        change("pools:\n"+vertex+wave, "pools:\n"+vertex+"  - {name: Quaver, item: uint64, tests: true}\n"),
	"the first of two pools":   change("pools:\n"+vertex+"  - {name: Zone}\n", "pools:\n  - {name: Zone}\n"),
	"a pool is removed":        change("pools:\n"+vertex+wave, "pools:\n"+vertex),
	"tests":                    change("pools:\n"+vertex+wave, "pools:\n  - {name: Vertex}\n  - {name: Wave, item: uint64}\n"),
	"a C header":               change("pools:\n  - {name: Wave, item: uint64, c_header: true}\n", "pools:\n  - {name: Wave, item: uint64}\n"),
	"a view for kernels": change("pools:\n  - {name: Wave, item: uint64, allocator: device, suballocator: bump, device_view: true}\n",
		"pools:\n  - {name: Wave, item: uint64, allocator: device, suballocator: bump}\n"),
	"a pool file": {
		map[string]string{"poolgen.yaml": head + "output: one\npools:\n" + vertex, "zoo.yaml": head + "output: two\npools:\n" + wave, "generate.go": generateTwo},
		map[string]string{"zoo.yaml": "", "generate.go": generateOne},
	},
	"a pool file of a package behind": {
		map[string]string{"poolgen.yaml": head + "pools:\n" + vertex, "zoo.yaml": head + "output: zoo\npools:\n" + wave, "generate.go": generateTwo, "zoo/generate.go": "package app\n\n//go:generate go version\n"},
		map[string]string{"zoo.yaml": "", "generate.go": generateOne},
	},
}

const (
	head        = "version: 1\npackage: app\n"
	vertex      = "  - {name: Vertex, tests: true}\n"
	wave        = "  - {name: Wave, item: uint64, tests: true}\n"
	generateOne = "package app\n\n//go:generate $POOLGEN generate\n"
	generateTwo = "package app\n\n//go:generate $POOLGEN generate poolgen.yaml zoo.yaml\n"
)

// change is a change of the only pool file.
func change(before, after string) struct{ before, after map[string]string } {
	return struct{ before, after map[string]string }{map[string]string{"poolgen.yaml": head + before, "generate.go": generateOne}, map[string]string{"poolgen.yaml": head + after}}
}

// TestGoGenerate changes pool files and runs go generate again. The go command first lists the files of all packages, and then reads them one by
// one: it has to succeed although files vanish meanwhile.
func TestGoGenerate(t *testing.T) {
	large.Only(t) // builds the command, and vets many packages
	environ := []string{"POOLGEN=" + tempmod.Poolgen(t)}
	for name, test := range changes {
		t.Run(name, func(t *testing.T) {
			dir := tempmod.New(t, "example.com/app", nil)
			command := tempmod.Command{Dir: dir, Temporary: true, Env: environ}
			for _, files := range []map[string]string{test.before, test.after, test.after} {
				replace(t, dir, files)
				for _, args := range [][]string{{"generate", "./..."}, {"vet", "./..."}} {
					if out, diag, err := command.Go(args...); err != nil || diag != "" {
						t.Fatalf("go %s: %v\n%s%s", args[0], err, out, diag)
					}
				}
				if out, diag, err := command.Run(environ[0][len("POOLGEN="):], "check"); err != nil {
					t.Errorf("poolgen check: %v\n%s%s", err, out, diag)
				}
			}
			kept := tempmod.Read(t, dir)
			for file := range kept {
				if filepath.Ext(file) == ".h" {
					t.Errorf("%s is still there", file)
				}
			}
		})
	}
}

// replace writes files, and removes those without a text.
func replace(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if text == "" {
			fatal.If(t, os.RemoveAll(filepath.Join(dir, name)))
			continue
		}
		tempmod.Write(t, dir, map[string]string{name: text})
	}
}
