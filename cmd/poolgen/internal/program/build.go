package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
)

// Build compiles the pools, whose generated files are in changes, together with the addition. It writes the program and all other files
// below temp, a directory that the caller removes. It takes about a second, or several when the go command has to compile the runtime
// first.
//
// The pools are built in the module that the output directory lies in, and against the runtime that it requires. If it requires none,
// it gets the one that [gomod.Go.Locate] finds, which tries cwd first. If there is no module, or the output directory lies below temp, its
// package is copied into a temporary one.
func Build(ctx context.Context, gocmd gomod.Go, cwd, temp string, changes emit.Changes, add Addition) (*Program, error) {
	b, err := newBuilder(gocmd, cwd, temp, changes)
	if err != nil {
		return nil, err
	}
	args, dir, err := b.place(ctx, add)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(temp, "pools.exe")
	args = append([]string{"test", "-c", "-vet=off", "-o", program}, args...)
	if _, err := b.gocmd.Run(ctx, dir, args...); err != nil {
		return nil, fmt.Errorf("build the pools: %w", err)
	}
	return &Program{path: program, environ: gocmd.Environ, Temp: temp}, nil
}

// builder prepares the compilation.
type builder struct {
	gocmd       gomod.Go
	cwd, temp   string
	output      string            // output directory; it need not exist
	packageName string            // of the generated files
	sources     map[string][]byte // files of the output directory for the compiler; nil: hidden
}

func newBuilder(gocmd gomod.Go, cwd, temp string, changes emit.Changes) (*builder, error) {
	b := &builder{gocmd: gocmd, cwd: cwd, temp: temp, output: changes.Dir.String(), sources: map[string][]byte{}}
	return b, b.collect(changes)
}

// collect decides which files of the output directory the compiler sees: the generated ones as they would be written, the user's own, and no tests.
func (b *builder) collect(changes emit.Changes) error {
	entries, err := os.ReadDir(b.output)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), "_test.go") {
			b.sources[entry.Name()] = nil
		}
	}
	for _, file := range changes.Files {
		if !strings.HasSuffix(file.Name, ".go") {
			continue // a C header stays as it is: it was not generated, because the types were not loaded
		}
		b.sources[file.Name] = file.New
		if strings.HasSuffix(file.Name, "_test.go") {
			b.sources[file.Name] = nil
		} else if file.New != nil {
			parsed, err := parser.ParseFile(token.NewFileSet(), file.Name, file.New, parser.PackageClauseOnly)
			if err != nil {
				return err
			}
			b.packageName = parsed.Name.Name
		}
	}
	return nil
}

// place puts the sources where the go command finds them, and returns its arguments and the directory to run it in.
func (b *builder) place(ctx context.Context, add Addition) (args []string, dir string, err error) {
	dir = existing(b.output)
	root, modulePath, err := b.gocmd.Main(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	if root == "" || b.isTemporary() {
		return b.placeInTemporary(ctx, add)
	}
	source, err := b.gocmd.Locate(ctx, dir, b.cwd)
	if err != nil {
		return nil, "", err
	}
	if b.gocmd, args, err = b.gocmd.Complete(ctx, b.temp, root, source); err != nil {
		return nil, "", err
	}
	rel, err := filepath.Rel(root, b.output)
	if err != nil {
		return nil, "", err
	}
	b.add(path.Join(modulePath, filepath.ToSlash(rel)), add)
	overlay, err := b.overlay()
	if err != nil {
		return nil, "", err
	}
	below, err := filepath.Rel(dir, b.output)
	if err != nil {
		return nil, "", err
	}
	return append(args, "-overlay="+overlay, "./"+filepath.ToSlash(below)), dir, nil
}

// isTemporary reports whether the output directory lies below temp: what the caller has made there has no module, whatever lies above.
func (b *builder) isTemporary() bool {
	below, err := filepath.Rel(b.temp, b.output)
	return err == nil && filepath.IsLocal(below)
}

// existing returns path, or the nearest directory above it that exists.
func existing(path string) string {
	for {
		info, err := os.Stat(path)
		parent := filepath.Dir(path)
		if err == nil && info.IsDir() || parent == path {
			return path
		}
		path = parent
	}
}

// add completes the sources of the generated package, whose import path is given, if there is anything to add.
func (b *builder) add(importPath string, add Addition) {
	if add.Adapter == nil {
		return
	}
	harness := path.Join(importPath, add.Name)
	for name, content := range add.Harness {
		b.sources[add.Name+"/"+name] = bytes.ReplaceAll(content, []byte(`"`+add.Path), []byte(`"`+harness))
	}
	b.sources[add.Name+"_test.go"] = add.Adapter(b.packageName, harness)
}

// overlay writes the sources below temp and a file that tells the go command to read them there.
func (b *builder) overlay() (string, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, content := range b.sources {
		target := ""
		if content != nil {
			target = filepath.Join(b.temp, "overlay", filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
				return "", err
			}
			if err := os.WriteFile(target, content, 0o644); err != nil {
				return "", err
			}
		}
		overlay.Replace[filepath.Join(b.output, filepath.FromSlash(name))] = target
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.temp, "overlay.json")
	return file, os.WriteFile(file, data, 0o644)
}

// temporaryPath is the path of the module for pool files outside modules.
const temporaryPath = "poolgen.program"

// placeInTemporary makes a module of the sources and of the user's own files beside them.
func (b *builder) placeInTemporary(ctx context.Context, add Addition) (args []string, dir string, err error) {
	source, err := b.gocmd.Locate(ctx, b.cwd)
	if err != nil {
		return nil, "", err
	}
	files := map[string][]byte{}
	own, err := filepath.Glob(filepath.Join(quoteGlob(b.output), "*.go"))
	if err != nil {
		return nil, "", err
	}
	for _, file := range own {
		if files[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			return nil, "", err
		}
	}
	b.add(temporaryPath, add)
	for name, content := range b.sources {
		if content == nil {
			delete(files, name)
		} else {
			files[name] = content
		}
	}
	dir = filepath.Join(b.temp, "module")
	b.gocmd = b.gocmd.Temporary()
	return []string{"."}, dir, gomod.Write(dir, temporaryPath, source, files)
}

// quoteGlob writes a path so that it matches only itself.
func quoteGlob(path string) string {
	if os.PathSeparator == '\\' {
		return path // no escapes there
	}
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(path)
}
