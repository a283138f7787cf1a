// Package templates holds the algorithms that pools are made of: suballocators (fixed, heap, ring, ...), the shells item and span over them, the
// memories (hostmem, devmem, ...), and what they share. Each is an ordinary Go package with its own tests.
//
// Which of them make up a pool, and with what parameters, is decided by cmd/poolgen/internal/lower; package specialize then turns them into source
// that is part of the pool, or that several pools have in common. README.md follows one template from its tests to the output.
package templates

import (
	"embed"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/poolgen/poolgen/templates/specialize"
)

// Path is the import path of the template packages' parent.
const Path = "github.com/poolgen/poolgen/templates"

//go:embed */*.go
var files embed.FS

// Library returns the sources of all template packages by import path, without their tests.
func Library() specialize.Library {
	lib := specialize.Library{}
	names, err := fs.Glob(files, "*/*.go")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for _, name := range names {
		dir, file := path.Split(name)
		if dir == "specialize/" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err) // Glob found it
		}
		pkg := Path + "/" + path.Clean(dir)
		if lib[pkg] == nil {
			lib[pkg] = map[string]string{}
		}
		lib[pkg][file] = string(text)
	}
	return lib
}

// List returns the import paths of all template packages, sorted.
func List() []string {
	var list []string
	for pkg := range Library() {
		list = append(list, pkg)
	}
	sort.Strings(list)
	return list
}
