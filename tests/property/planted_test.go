package property

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// planted lists faults in generated suballocators, each of which the generated tests have to find.
var planted = []struct{ pool, file, old, new string }{
	{"item: uint64", "foo_core.go", "l.Head, l.Next[h] = l.Next[h], fixed.Used", "l.Next[h] = fixed.Used"},
	{"item: uint64", "foo_core.go", "l.next[i] == fixed.Used {", "l.next[i] >= 0 {"},
	{"item: uint64", "foo_core.go", "\t\tc.Returned++\n", ""},
	{"suballocator: heap, concurrency: none", "foo_shell.go", "p.core.AllocFast(uint64(n) * fooItemSize)", "p.core.AllocFast(uint64(n)*fooItemSize + 1)"},
	{"suballocator: bump, concurrency: none", "foo_core.go", "return fooCoreMark(c.Core.Mark())", "return fooCoreMark{}"},
}

// TestPlantedFaultsAreFound checks that generated tests find each fault in generated code.
func TestPlantedFaultsAreFound(t *testing.T) {
	large.Only(t) // builds and runs several packages
	for _, test := range planted {
		dir := tempmod.New(t, module, map[string]string{"p/poolgen.yaml": "version: 1\npools:\n  - {name: Foo, tests: true, " + test.pool + "}\n"})
		generate(t, dir, []string{"p/poolgen.yaml"})
		command := tempmod.Command{Dir: dir, Temporary: true}
		if out, diag, err := command.Go("test", "./..."); err != nil {
			t.Fatalf("without a fault: %v\n%s%s", err, out, diag)
		}
		file := filepath.Join(dir, "p", test.file)
		text, err := os.ReadFile(file)
		fatal.If(t, err)
		faulty := strings.Replace(string(text), test.old, test.new, 1)
		if faulty == string(text) {
			t.Fatalf("%s has no %q", test.file, test.old)
		}
		tempmod.Write(t, dir, map[string]string{"p/" + test.file: faulty})
		out, _, err := command.Go("test", "-timeout", "60s", "./...")
		if err == nil || strings.Contains(out, "build failed") {
			t.Errorf("%s, %q for %q: %v\n%s", test.file, test.new, test.old, err, out)
		}
	}
}
