package gates

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// direct are the modules that poolgen requires directly, and where each may be imported. A new module must be added here deliberately.
var direct = map[string][]string{
	"github.com/dave/jennifer":     {"cmd/poolgen/internal/facade"},
	"github.com/ebitengine/purego": {"cuda/internal/native"}, // calls the driver in builds without cgo that ask for it: TestPuregoIsForTheTag
	"github.com/spf13/cobra":       {"cmd/poolgen"},
	"golang.org/x/mod":             {"tests/gates"},
	"golang.org/x/sys":             {"runtime", "cuda", "cmd/poolgen/internal/cli"}, // the command: how wide a terminal is
	"golang.org/x/tools":           {"cmd/poolgen", "tests", "templates/specialize", "spec"},
	"gopkg.in/yaml.v3":             {"spec/yaml.go"},
}

// requirements returns the modules that a go.mod requires directly, and whatever replaces, excludes or adds tools.
func requirements(t *testing.T, dir string) (required, others []string) {
	t.Helper()
	stdout, stderr, err := tempmod.Command{Dir: dir}.Go("mod", "edit", "-json")
	if err != nil {
		t.Fatalf("go mod edit: %v\n%s", err, stderr)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
		Replace, Exclude, Tool []any
	}
	fatal.If(t, json.Unmarshal([]byte(stdout), &mod))
	for _, r := range mod.Require {
		if !r.Indirect {
			required = append(required, r.Path)
		}
	}
	for _, list := range [][]any{mod.Replace, mod.Exclude, mod.Tool} {
		for _, entry := range list {
			others = append(others, fmt.Sprint(entry))
		}
	}
	return required, others
}

// surprising returns the differences between a go.mod and the list.
func surprising(required, others []string) (faults []string) {
	for _, r := range required {
		if direct[r] == nil {
			faults = append(faults, "go.mod requires "+r)
		}
	}
	for r := range direct {
		if !slices.Contains(required, r) {
			faults = append(faults, "go.mod does not require "+r)
		}
	}
	for _, o := range others {
		faults = append(faults, "go.mod has "+o)
	}
	return faults
}

// TestModulesAreThoseListed pins the list of modules.
func TestModulesAreThoseListed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	required, others := requirements(t, tempmod.Root(t))
	for _, fault := range surprising(required, others) {
		t.Error(fault)
	}
	dir := t.TempDir()
	text := "module m\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0 // indirect\n)\n\nreplace example.com/a => ../a\n"
	fatal.If(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644))
	found := strings.Join(surprising(requirements(t, dir)), "\n")
	if !strings.Contains(found, "requires example.com/a") || strings.Contains(found, "example.com/b") || !strings.Contains(found, "go.mod has map[") {
		t.Errorf("of the planted requirements: %s", found)
	}
}

// strays returns the files that import one of the modules outside its place.
func strays(files []source) (faults []string) {
	for _, s := range files {
		for _, imported := range s.imports() {
			for module, places := range direct {
				if imported != module && !strings.HasPrefix(imported, module+"/") {
					continue
				}
				at := slices.ContainsFunc(places, func(p string) bool { return s.name == p || strings.HasPrefix(s.name, p+"/") })
				if !at {
					faults = append(faults, s.name+" imports "+imported)
				}
			}
		}
	}
	return faults
}

// TestModulesAreImportedWhereTheyBelong keeps each module in its place: a change of the YAML library must affect one file only.
func TestModulesAreImportedWhereTheyBelong(t *testing.T) {
	var files []source
	for _, name := range goFiles(t, tempmod.Root(t), ".") {
		text, err := os.ReadFile(filepath.Join(tempmod.Root(t), name))
		fatal.If(t, err)
		files = append(files, parse(t, name, text))
	}
	for _, fault := range strays(files) {
		t.Error(fault)
	}
	planted := parse(t, "spec/load.go", []byte("package spec\n\nimport (\n\t\"golang.org/x/sys/unix\"\n\t\"gopkg.in/yaml.v3\"\n)\n"))
	if found := strays([]source{planted}); len(found) != 2 {
		t.Errorf("of two planted imports: %v", found)
	}
}
