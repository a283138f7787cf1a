package facade

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// served is a package poolimpl that supports some versions of output.
type served struct{ oldest, newest int64 }

func (s served) Import(path string) (*types.Package, error) {
	if path != lower.ImplPath {
		return nil, fmt.Errorf("import of %s", path)
	}
	p := types.NewPackage(path, "poolimpl")
	for name, n := range map[string]int64{"OldestOutput": s.oldest, "NewestOutput": s.newest} {
		p.Scope().Insert(types.NewConst(token.NoPos, p, name, types.Typ[types.UntypedInt], constant.MakeInt64(n)))
	}
	p.MarkComplete()
	return p, nil
}

// TestHandshake compiles output with versions of package poolimpl that support it, and with others. The message of the compiler must then contain
// what to run.
func TestHandshake(t *testing.T) {
	text, err := PackageFile("// Header.", &lower.Package{Plan: &spec.Plan{Package: "pools"}}, "v1.2.3")
	fatal.If(t, err)
	const now = poolimpl.NewestOutput
	for _, test := range []struct {
		served
		want string
	}{
		{served{now, now}, ""},
		{served{now - 1, now + 3}, ""},
		{served{now + 1, now + 1}, "invalid array length runtimeTooNewRunGoToolPoolgenGenerate"},
		{served{now - 1, now - 1}, "invalid array length runtimeTooOldRunGoGetPoolgen"},
	} {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "poolgen.go", text, 0)
		fatal.If(t, err)
		var found []error
		config := types.Config{Importer: test.served, Error: func(err error) { found = append(found, err) }}
		_, _ = config.Check("pools", files, []*ast.File{file}, nil)
		if got := errors.Join(found...); (got == nil) != (test.want == "") || !strings.Contains(fmt.Sprint(got), test.want) {
			t.Errorf("a runtime that serves %+v: got %v, want %q", test.served, got, test.want)
		}
	}
}
