package spec

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strings"
)

// Env describes what the output directory holds already, apart from generated files.
type Env struct {
	Dir        string            // last element of the directory's path
	ImportPath string            // of the directory; "" if it is not known
	GOOS       string            // system that the output is for; "" if it is not known
	Package    string            // package of the Go files there; "" if there are none
	PackageAt  string            // where it is declared: file:line:column
	Decls      map[string]string // names declared at package level, and their places
	Types      []string          // the names that are types

	specs map[string]*ast.TypeSpec // of types; nil for one that several files declare, for different builds
	dot   bool                     // a file imports names of another package
}

// ScanDir collects the declarations of the Go files in the root of fsys. It only parses the files. It skips files for which skip returns true
// (poolgen's own output), files that no build includes, and, without opening them, files that are not regular. Of an external test, it uses
// the name of the package alone, as of a file that no build with these tags of the output includes. Of a file that does not parse, it uses the declarations before the error. A file above 64 MiB is an error.
// A directory that does not exist counts as empty. The caller sets the fields Dir, ImportPath and GOOS.
func ScanDir(fsys fs.FS, tags constraint.Expr, skip func(name string, src []byte) bool) (Env, error) {
	env := Env{Decls: map[string]string{}, specs: map[string]*ast.TypeSpec{}}
	entries, err := fs.ReadDir(fsys, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return env, nil
	}
	if err != nil {
		return env, fmt.Errorf("read output directory: %w", err)
	}
	var files, tests []declarations
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			continue
		}
		src, err := readGoFile(fsys, name)
		if err != nil {
			return env, fmt.Errorf("read output directory: %w", err)
		}
		if src == nil || skip != nil && skip(name, src) {
			continue
		}
		switch found, ok := scanFile(name, src, tags); {
		case ok && found.names == nil:
			tests = append(tests, found)
		case ok:
			files = append(files, found)
		}
	}
	env.add(append(files, tests...))
	return env, nil
}

// add adds the declarations of the files of the directory's package. That is the package of the first file without a build constraint, or else of the
// first file: files that only some builds include, such as tools.go, may be of another package.
func (e *Env) add(files []declarations) {
	if len(files) == 0 {
		return
	}
	own := files[max(0, slices.IndexFunc(files, func(f declarations) bool { return f.always }))]
	e.Package, e.PackageAt = own.pkg, own.at
	for _, f := range files {
		if f.pkg != own.pkg {
			continue
		}
		for name, at := range f.names {
			if e.Decls[name] == "" {
				e.Decls[name] = at
			}
		}
		for _, t := range f.types {
			e.Types = append(e.Types, t.Name.Name)
			if _, again := e.specs[t.Name.Name]; again {
				t = nil
			}
			e.specs[e.Types[len(e.Types)-1]] = t
		}
		e.dot = e.dot || f.dot
	}
}

// maxGoFileBytes bounds the Go files of an output directory. The compiler accepts no larger ones.
const maxGoFileBytes = 64 << 20

// readGoFile returns the text of a Go file, and nil for anything but a regular file: reading a pipe or a device might never end.
func readGoFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a dangling link, which editors use as a lock
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, nil
	case info.Size() > maxGoFileBytes:
		return nil, fmt.Errorf("%s has more than %s: move it out of the output directory", name, FormatSize(maxGoFileBytes))
	}
	src, err := fs.ReadFile(fsys, name)
	if src == nil {
		src = []byte{}
	}
	return src, err
}

// declarations are what one Go file declares at package level.
type declarations struct {
	pkg, at string            // its package, and the place of the package clause
	always  bool              // it has no build constraint
	names   map[string]string // names, and the places of their declarations; nil for an external test, and where no build includes both
	types   []*ast.TypeSpec
	dot     bool // it imports names of another package
}

// scanFile reads the declarations of one file. It returns false if no build includes the file together with the output.
func scanFile(name string, src []byte, tags constraint.Expr) (declarations, bool) {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if file == nil || file.Name == nil || file.Name.Name == "_" {
		return declarations{}, false
	}
	pkg, conditions := file.Name.Name, constraints(file)
	found := declarations{pkg: pkg, at: files.Position(file.Name.Pos()).String(), always: len(conditions) == 0}
	if pkg == ignoredPackage || slices.ContainsFunc(conditions, asksForIgnore) {
		return declarations{}, false
	}
	if tested, external := strings.CutSuffix(pkg, "_test"); external && strings.HasSuffix(name, "_test.go") {
		found.pkg = tested
		return found, isIdentifier(tested)
	}
	if builtApart(tags, conditions) {
		return found, true
	}
	found.names = map[string]string{}
	found.dot = slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Name != nil && i.Name.Name == "." })
	declare := func(id *ast.Ident) {
		if id.Name != "_" && found.names[id.Name] == "" {
			found.names[id.Name] = files.Position(id.Pos()).String()
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
					found.types = append(found.types, s)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						declare(id)
					}
				}
			}
		}
	}
	return found, true
}

// constraints lists the build constraints of a file.
func constraints(file *ast.File) (list []constraint.Expr) {
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, comment := range group.List {
			if expr, err := constraint.Parse(comment.Text); err == nil {
				list = append(list, expr)
			}
		}
	}
	return list
}

// asksForIgnore reports whether a constraint can only hold with the tag ignore, as in a script beside the package.
func asksForIgnore(expr constraint.Expr) bool {
	holds := func(ignore bool) bool {
		return expr.Eval(func(tag string) bool { return tag != "ignore" || ignore })
	}
	return !holds(false) && holds(true)
}
