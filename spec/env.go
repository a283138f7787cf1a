package spec

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// Env is what the output folder holds already, apart from generated files.
type Env struct {
	Folder     string            // name of the folder, without those above it
	ImportPath string            // of the folder; "" if it is not known
	Package    string            // package of the Go files there; "" when there are none
	PackageAt  string            // where it is declared: file:line:column
	Decls      map[string]string // names declared at package level, and where
}

// ScanFolder collects the declarations of the Go files in the root of fsys, by parsing only. It leaves out files
// that skip answers true for (our own output), external tests, and files that no build includes: what is no
// regular file is none of them, and is not opened. A file that does not parse counts as far as it does, one
// above 64 MiB is an error. The folder's name is left to the caller; a folder that does not exist is empty.
func ScanFolder(fsys fs.FS, skip func(name string, src []byte) bool) (Env, error) {
	env := Env{Decls: make(map[string]string)}
	entries, err := fs.ReadDir(fsys, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return env, nil
	}
	if err != nil {
		return env, fmt.Errorf("read output folder: %w", err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			continue
		}
		src, err := readGoFile(fsys, name)
		if err != nil {
			return env, fmt.Errorf("read output folder: %w", err)
		}
		if src == nil {
			continue
		}
		if skip == nil || !skip(name, src) {
			env.scanFile(name, src)
		}
	}
	return env, nil
}

// maxGoFileBytes bounds the Go files of an output folder. No compiler gets along with larger ones.
const maxGoFileBytes = 64 << 20

// readGoFile returns the text of a Go file; nil for what is no regular file, as pipes and devices are read without end.
func readGoFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a link to nothing, as editors use them for locks
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, nil
	case info.Size() > maxGoFileBytes:
		return nil, fmt.Errorf("%s has more than %s: move it out of the output folder", name, FormatSize(maxGoFileBytes))
	}
	src, err := fs.ReadFile(fsys, name)
	if src == nil {
		src = []byte{}
	}
	return src, err
}

// scanFile adds the declarations of one file.
func (e *Env) scanFile(name string, src []byte) {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if file == nil || file.Name == nil || file.Name.Name == "_" || neverBuilt(file) {
		return
	}
	pkg := file.Name.Name
	if strings.HasSuffix(name, "_test.go") && strings.HasSuffix(pkg, "_test") {
		return
	}
	if e.Package == "" {
		e.Package, e.PackageAt = pkg, files.Position(file.Name.Pos()).String()
	}
	declare := func(id *ast.Ident) {
		if id != nil && id.Name != "_" && e.Decls[id.Name] == "" {
			e.Decls[id.Name] = files.Position(id.Pos()).String()
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" {
				declare(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					declare(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						declare(id)
					}
				}
			}
		}
	}
}

// neverBuilt reports whether the file is a script beside the package: its build constraint holds for no
// system, because it asks for the tag ignore.
func neverBuilt(file *ast.File) bool {
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, comment := range group.List {
			expr, err := constraint.Parse(comment.Text)
			if err != nil {
				continue
			}
			holds := func(ignore bool) bool {
				return expr.Eval(func(tag string) bool { return tag != "ignore" || ignore })
			}
			if !holds(false) && holds(true) {
				return true
			}
		}
	}
	return false
}
