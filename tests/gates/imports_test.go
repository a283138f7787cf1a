package gates

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// foreign returns the imports of generated files other than the standard library, the runtime and the given ones, and uses of cgo.
func foreign(files []source, allowed map[string]bool) (faults []string) {
	for _, s := range files {
		for _, imported := range s.imports() {
			switch {
			case imported == "C" && (!allowed["C"] || path.Base(s.name) != "poolgen_c.go"):
				faults = append(faults, s.name+" uses cgo")
			case imported == tempmod.Path+"/runtime", allowed[imported]:
			case strings.Contains(strings.SplitN(imported, "/", 2)[0], "."):
				faults = append(faults, s.name+" imports "+imported)
			}
		}
	}
	return faults
}

// TestOutputImportsLittle checks the imports of the committed output: the standard library, the runtime, and the packages of items.
func TestOutputImportsLittle(t *testing.T) {
	byDir := map[string][]source{}
	for _, s := range generated(t, "generated_examples") {
		byDir[path.Base(path.Dir(s.name))] = append(byDir[path.Base(path.Dir(s.name))], s)
	}
	for dir, files := range byDir {
		allowed := map[string]bool{tempmod.Path + "/runtime/poolimpl": true}
		for _, core := range imported(t) {
			allowed[tempmod.Path+"/runtime/poolimpl/cores/"+core] = true
		}
		for _, p := range plan(t, dir).Pools {
			allowed[p.Item.Import] = true
			allowed["C"] = allowed["C"] || len(p.Exports) > 0
			allowed[tempmod.Path+"/runtime/pooltest"] = p.Tests // which no program has
			if p.NeedsDriver() {
				allowed[tempmod.Path+"/cuda"] = true
			}
		}
		for _, fault := range foreign(files, allowed) {
			t.Error(fault)
		}
	}
}

// TestForeignImportIsFound plants imports that no output may have.
func TestForeignImportIsFound(t *testing.T) {
	planted := parse(t, "p.go", []byte("package p\n\nimport (\n\t\"C\"\n\t\"math/bits\"\n\n\t\""+tempmod.Path+"/runtime\"\n\t\""+tempmod.Path+"/spec\"\n\t\"example.com/mesh\"\n)\n"))
	got := strings.Join(foreign([]source{planted}, map[string]bool{"example.com/mesh": true}), "\n")
	if want := "p.go uses cgo\np.go imports " + tempmod.Path + "/spec"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// pkg is what the go command says of a package.
type pkg struct {
	standard bool
	cgo      string   // files
	deps     []string // all packages that it depends on
}

// packages are those of the module and what they depend on, by one call of the go command.
var packages map[string]pkg

// deps lists the packages that some packages depend on, and these: those of a directory, or of it and all below.
func deps(t *testing.T, pattern string) map[string]pkg {
	t.Helper()
	if packages == nil {
		packages = map[string]pkg{}
		stdout, stderr, err := tempmod.Command{Dir: tempmod.Root(t)}.Go("list", "-deps", "-f", "{{.ImportPath}}\t{{.Standard}}\t{{join .CgoFiles \" \"}}\t{{join .Deps \" \"}}", "./...")
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, stderr)
		}
		for line := range strings.Lines(stdout) {
			parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			packages[parts[0]] = pkg{parts[1] == "true", parts[2], strings.Fields(parts[3])}
		}
	}
	found := map[string]pkg{}
	dir, below := strings.CutSuffix(path.Join(tempmod.Path, pattern), "/...")
	for name, p := range packages {
		if name == dir || below && strings.HasPrefix(name, dir+"/") {
			for _, d := range append(p.deps, name) {
				found[d] = packages[d]
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("no packages %s", pattern)
	}
	return found
}

// cgoFiles lists those that are not of the standard library, and the cgo files of each.
func cgoFiles(packages map[string]pkg) map[string]string {
	found := map[string]string{}
	for name, p := range packages {
		if !p.standard {
			found[name] = p.cgo
		}
	}
	return found
}

// heavy returns those of the packages that a program with a host pool must not depend on, or that use cgo.
func heavy(packages map[string]string, allowed ...string) (faults []string) {
	for name, cgo := range packages {
		light := false
		for _, prefix := range allowed {
			light = light || name == prefix || strings.HasPrefix(name, prefix+"/")
		}
		if !light {
			faults = append(faults, name)
		}
		if cgo != "" {
			faults = append(faults, name+" with the cgo files "+cgo)
		}
	}
	return faults
}

// TestProgramsAreBuiltOfLittle checks what a user's program links. The generator and its dependencies are not allowed.
func TestProgramsAreBuiltOfLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	light := []string{tempmod.Path + "/generated_examples", tempmod.Path + "/runtime", tempmod.Path + "/internal/figure", tempmod.Path + "/internal/inturn", "golang.org/x/sys"}
	patterns := map[string][]string{"./runtime/...": append([]string{tempmod.Path + "/internal/poolpage", tempmod.Path + "/internal/difference"}, light[1:]...)}
	isLibrary := map[string]bool{} // for other languages, which takes cgo
	for _, s := range generated(t, "generated_examples") {
		dir := path.Dir(s.name)
		if _, err := os.Stat(filepath.Join(tempmod.Root(t), dir, "go.mod")); err == nil {
			continue // a module of its own, which depends on what it shows
		}
		patterns["./"+dir] = light
		if needsDriver(plan(t, path.Base(dir))) {
			patterns["./"+dir] = append([]string{tempmod.Path + "/cuda"}, light...)
		}
		isLibrary["./"+dir] = slices.ContainsFunc(plan(t, path.Base(dir)).Pools, func(p spec.Pool) bool { return len(p.Exports) > 0 })
	}
	for pattern, allowed := range patterns {
		found := cgoFiles(deps(t, pattern))
		if allowed[0] == tempmod.Path+"/cuda" { // only there cgo is allowed
			for name := range found {
				if strings.HasPrefix(name, allowed[0]+"/internal/") {
					found[name] = ""
				}
			}
		}
		if isLibrary[pattern] {
			found[path.Join(tempmod.Path, pattern)] = ""
		}
		for _, fault := range heavy(found, allowed...) {
			t.Errorf("%s is built of %s", pattern, fault)
		}
	}
	for name := range deps(t, "./cuda/...") {
		for _, not := range []string{"spec", "templates", "cmd"} {
			if name == tempmod.Path+"/"+not || strings.HasPrefix(name, tempmod.Path+"/"+not+"/") {
				t.Errorf("./cuda/... is built of %s", name)
			}
		}
	}
}

// served returns those of the packages that serve something over a network, or are only for packages that do.
func served(packages []string) (faults []string) {
	for _, name := range packages {
		switch {
		case name == tempmod.Path+"/internal/figure", name == tempmod.Path+"/internal/inturn", name == tempmod.Path+"/runtime/poolimpl", strings.HasPrefix(name, tempmod.Path+"/runtime/poolimpl/cores/"),
			strings.HasPrefix(name, tempmod.Path+"/runtime/internal/"):
		case name == "net", strings.HasPrefix(name, "net/"), name == "expvar", strings.HasPrefix(name, tempmod.Path+"/internal/"),
			strings.HasPrefix(name, tempmod.Path+"/runtime/"):
			faults = append(faults, name)
		}
	}
	return faults
}

// TestServesNothing checks that programs with pools depend on nothing that serves pages: packages poolz and poolvars are only for programs that
// import them.
func TestServesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	all := func(pattern string) []string { return slices.Collect(maps.Keys(deps(t, pattern))) }
	for _, pattern := range []string{"./runtime", "./cuda", "./generated_examples/..."} {
		for _, fault := range served(all(pattern)) {
			t.Errorf("%s is built of %s", pattern, fault)
		}
	}
	if found := strings.Join(served(all("./runtime/poolz")), " "); !strings.Contains(found, "net/http") || !strings.Contains(found, "internal/poolpage") {
		t.Errorf("of package poolz it finds %s", found)
	}
}

// needsDriver reports whether the driver supplies the memory of any of the pools.
func needsDriver(p *spec.Plan) bool {
	return slices.ContainsFunc(p.Pools, func(p spec.Pool) bool { return p.NeedsDriver() })
}

// TestHeavyDepIsFound checks a package with too many dependencies.
func TestHeavyDepIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	found := strings.Join(heavy(cgoFiles(deps(t, "./spec")), tempmod.Path+"/runtime"), " ")
	if !strings.Contains(found, "gopkg.in/yaml.v3") {
		t.Errorf("found %s", found)
	}
	if found := heavy(map[string]string{"a": "x.go"}, "a"); len(found) != 1 {
		t.Errorf("found %v", found)
	}
}

// TestToolBringsRuntime checks that the command links the runtime: "go get -tool" then records the sums of all modules that
// generated code needs, and a module builds right after its first generate.
func TestToolBringsRuntime(t *testing.T) {
	if _, ok := deps(t, "./cmd/poolgen")[tempmod.Path+"/runtime"]; !ok {
		t.Error("cmd/poolgen does not link the runtime")
	}
}
