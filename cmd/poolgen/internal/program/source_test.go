package program

import (
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// TestSourceImportsWhatIsUsed has names that are parts of others, words in strings, and variables with the name of a package.
func TestSourceImportsWhatIsUsed(t *testing.T) {
	plan := &spec.Plan{Imports: []spec.Import{
		{Qualifier: "mesh", Path: "example.com/mesh"}, {Qualifier: "submesh", Path: "example.com/submesh"},
		{Qualifier: "text", Path: "example.com/text"}, {Qualifier: "pool", Path: "example.com/pool"},
	}}
	const body = "func f(pool *submesh.Pool) { pool.Use(\"text.T\", zzos.Args) }\n"
	const want = "package p\n\nimport (\n\tsubmesh \"example.com/submesh\"\n\tzzos \"os\"\n)\n\n" + body
	if got := string(Source("p", body, plan, map[string]string{"zzos": "os", "zzunsafe": "unsafe"})); got != want {
		t.Errorf("got\n%s", got)
	}
}
