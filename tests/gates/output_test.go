package gates

import (
	"go/ast"
	"maps"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// directory is the Go files of one directory, with output among them.
type directory struct {
	files   []source
	idents  map[string]int // identifiers in its code, with their counts
	inTests map[string]int // of these, those in tests
}

// add adds a file.
func (f *directory) add(s source) {
	f.files = append(f.files, s)
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f.idents[id.Name]++
			if strings.HasSuffix(s.name, "_test.go") {
				f.inTests[id.Name]++
			}
		}
		return true
	})
}

// output returns the directories with output, by their paths: the examples, and the pools of package tests, which are not committed.
func output(t *testing.T) map[string]*directory {
	t.Helper()
	return directories(append(sources(t, tempmod.Root(t), "generated_examples"), uncommitted(t)...))
}

// directories groups files by directories, and leaves out directories without output.
func directories(files []source) map[string]*directory {
	all, has := map[string]*directory{}, map[string]bool{}
	for _, s := range files {
		name := path.Dir(s.name)
		if all[name] == nil {
			all[name] = &directory{idents: map[string]int{}, inTests: map[string]int{}}
		}
		all[name].add(s)
		has[name] = has[name] || s.isOutput()
	}
	maps.DeleteFunc(all, func(name string, _ *directory) bool { return !has[name] })
	return all
}

var pooled struct { // the module tests/pools, after it was generated
	sync.Once
	files []source
}

// uncommitted returns the files of the module tests/pools; none in the small form of the tests. Its pools are generated into a copy.
func uncommitted(t *testing.T) []source {
	t.Helper()
	if !large.Form() {
		return nil
	}
	const module = "tests/pools"
	pooled.Do(func() {
		files := tempmod.Read(t, filepath.Join(tempmod.Root(t), module))
		maps.DeleteFunc(files, func(name, text string) bool {
			return strings.HasPrefix(text, generatedBy) || name == "go.mod" || name == "go.sum"
		})
		pooled.files = sources(t, tempmod.Generated(t, tempmod.Path+"/"+module, files), ".")
		for i := range pooled.files {
			pooled.files[i].name = path.Join(module, pooled.files[i].name)
		}
	})
	return pooled.files
}
