// Package schedules explores the schedules of what goroutines do with a pool without its lock: the text that users get, linked
// with package explore. README.md says how to write a scenario, and how to replay a schedule.
package schedules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/tests/residual"
)

const module = "github.com/poolgen/poolgen"

// here is the directory of this package, from the root of the module.
const here = "tests/schedules"

// text is where the packages lie that are linked, from the root of the module. There is no such directory: it is an overlay for the go command.
const text = here + "/text"

// instead says which packages take the place of others in what is explored.
var instead = map[string]string{
	"sync/atomic": module + "/" + here + "/explore/atomic",
	"sync":        module + "/" + here + "/explore/sync",
	"runtime":     module + "/" + here + "/explore/runtime",
	"testing":     module + "/" + here + "/explore/testing",
}

// number is a constant of a file that has another value in what is explored.
type number struct {
	file     string // from the root of the module
	old, new string // old occurs once
}

// subject is a template with scenarios, at some values of its parameters.
type subject struct {
	name string
	residual.Variant
}

// linker makes a program that explores schedules.
type linker struct {
	root    string // of the module
	planted overlay
	files   map[string]string // that the program is built from, by their names from the root of the module
}

// overlay says which files the go command reads in place of others.
type overlay struct{ Replace map[string]string }

// Link builds the program. Files that an overlay for the go command replaces are read there; overlay may be "".
func Link(root, program, overlay string) error {
	l := &linker{root: root, files: map[string]string{}}
	if overlay != "" {
		data, err := os.ReadFile(overlay)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &l.planted); err != nil {
			return fmt.Errorf("%s: %w", overlay, err)
		}
	}
	for _, step := range []func() error{l.runtime, l.imported, l.checks, l.subjects, l.main} {
		if err := step(); err != nil {
			return err
		}
	}
	return l.build(program)
}

// read returns the text of a file with small numbers.
func (l *linker) read(name string) (string, error) {
	at := filepath.Join(l.root, filepath.FromSlash(name))
	if planted, ok := l.planted.Replace[at]; ok {
		at = planted
	}
	data, err := os.ReadFile(at)
	if err != nil {
		return "", err
	}
	text := string(data)
	for _, s := range small {
		if s.file != name {
			continue
		}
		if n := strings.Count(text, s.old); n != 1 {
			return "", fmt.Errorf("%s has %d times, and not once: %s", name, n, s.old)
		}
		text = strings.Replace(text, s.old, s.new, 1)
	}
	return text, nil
}

// add adds a file to the overlay.
func (l *linker) add(name, text string) error {
	f, err := replaceImports(text)
	if err == nil {
		l.files[name] = f
	}
	return err
}

// runtime adds the packages that generated code imports.
func (l *linker) runtime() error {
	return fs.WalkDir(os.DirFS(l.root), "runtime", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := l.read(name)
		if err != nil {
			return err
		}
		if other, err := os.ReadFile(filepath.Join(l.root, here, "instead", path.Base(name)+".txt")); err == nil && path.Dir(name) == "runtime/poolimpl" {
			text = string(other)
		}
		return l.add(name, text)
	})
}

// imported adds the scenarios of the packages that generated code imports.
func (l *linker) imported() error {
	dirs := map[string]string{"poolimpl": "runtime/poolimpl", "strict": cores + "strict"}
	for _, p := range packages {
		dirs[p.pkg] = cores + p.pkg
	}
	for pkg, dir := range dirs {
		texts := map[string]string{}
		if err := l.scenarios(pkg, texts); err != nil {
			return err
		}
		for base, text := range texts {
			if err := l.add(path.Join(dir, base), text); err != nil {
				return err
			}
		}
	}
	return nil
}

// cores is where the packages of suballocators lie.
const cores = "runtime/poolimpl/cores/"

// scenarios adds the scenarios of a package to its files.
func (l *linker) scenarios(pkg string, to map[string]string) error {
	list, err := filepath.Glob(filepath.Join(l.root, here, "scenarios", pkg, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range list {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		to["explored_"+filepath.Base(name)] = strings.TrimPrefix(string(data), constraint)
	}
	return nil
}

// checks adds the checks of tests that scenarios need.
func (l *linker) checks() error {
	for _, name := range []string{"runtime/poolimpl/invariants_test.go", cores + "strict/export_test.go"} {
		text, err := l.read(name)
		if err == nil {
			err = l.add(path.Join(path.Dir(name), "explored_checks.go"), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// subjects adds the templates with their scenarios.
func (l *linker) subjects() error {
	for _, s := range subjects {
		lib := maps.Clone(templates.Library())
		for at, files := range lib {
			lib[at] = maps.Clone(files)
			for base := range files {
				text, err := l.read(path.Join("templates", path.Base(at), base))
				if err != nil {
					return err
				}
				lib[at][base] = text
			}
		}
		files := lib[residual.At(s.Package)]
		if err := l.scenarios(s.Package+"/fast", files); err != nil {
			return err
		}
		residuals, err := s.Residuals(lib, path.Join(module, text, s.name), nil)
		if err != nil {
			return err
		}
		for pkg, texts := range residuals {
			for base, t := range texts {
				if err := l.add(path.Join(text, s.name, pkg, base), t); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// constraint begins the files of scenarios, which compile only as parts of a template.
const constraint = "//go:build explored\n\n"

// main adds the program.
func (l *linker) main() error {
	var imports, cases strings.Builder
	fmt.Fprintf(&imports, "\tengine %q\n", module+"/runtime/poolimpl")
	fmt.Fprint(&cases, "\tlist = append(list, engine.Cases()...)\n")
	for _, p := range packages {
		fmt.Fprintf(&imports, "\t%q\n", module+"/"+cores+p.pkg)
		for _, name := range p.names {
			fmt.Fprintf(&cases, "\tlist = append(list, %s.Cases(%q)...)\n", p.pkg, name)
		}
	}
	for i, s := range subjects {
		fmt.Fprintf(&imports, "\ts%d %q\n", i, path.Join(module, text, s.name, s.Package))
		fmt.Fprintf(&cases, "\tlist = append(list, s%d.Cases(%q)...)\n", i, s.name)
	}
	return l.add(text+"/main.go", "package main\n\nimport (\n\t\""+module+"/"+here+"/explore\"\n\n"+imports.String()+
		")\n\nfunc main() {\n\tvar list []explore.Case\n"+cases.String()+"\texplore.Main(list)\n}\n")
}

// build builds the program.
func (l *linker) build(program string) error {
	dir, err := os.MkdirTemp("", "schedules")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	files := overlay{map[string]string{}}
	for i, name := range slices.Sorted(maps.Keys(l.files)) {
		file := filepath.Join(dir, strconv.Itoa(i)+".go")
		if err := os.WriteFile(file, []byte(l.files[name]), 0o600); err != nil {
			return err
		}
		files.Replace[filepath.Join(l.root, filepath.FromSlash(name))] = file
	}
	how, err := json.Marshal(files)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), how, 0o600); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, module+"/"+text)
	cmd.Dir = l.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// replaceImports replaces the imports of a file. The names that the file has for them stay.
func replaceImports(text string) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	changed := false
	for _, spec := range f.Imports {
		at, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return "", err
		}
		if to, ok := instead[at]; ok {
			if spec.Name == nil {
				spec.Name = ast.NewIdent(path.Base(at))
			}
			spec.Path.Value, changed = strconv.Quote(to), true
		}
	}
	if !changed {
		return text, nil
	}
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		return "", err
	}
	return b.String(), nil
}
