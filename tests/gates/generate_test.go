package gates

import (
	"testing"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// TestGoGenerate changes a pool file and runs go generate again. The go command first lists the files of all packages, and then reads them one by
// one: it has to succeed although files vanish meanwhile.
func TestGoGenerate(t *testing.T) {
	const pools = "version: 1\npackage: app\npools:\n  - {name: Vertex, tests: true}\n  - {name: Wave, item: uint64, tests: true}\n"
	environ := []string{"POOLGEN=" + tempmod.Poolgen(t)}
	for name, test := range map[string]struct{ before, after string }{
		"files behind the line":    {pools, "version: 1\npackage: app\npools: [{name: Edge}]\n"},
		"files of another package": {"output: gen\n" + pools, "version: 1\noutput: gen\npackage: app\npools: [{name: Edge}]\n"},
		"all of another package":   {"output: wide/gen\n" + pools, "output: gen\n" + pools},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tempmod.New(t, "example.com/app", map[string]string{"generate.go": "package app\n\n//go:generate $POOLGEN generate\n"})
			command := tempmod.Command{Dir: dir, Temporary: true, Env: environ}
			for _, text := range []string{test.before, test.after, test.after} {
				tempmod.Write(t, dir, map[string]string{"poolgen.yaml": text})
				for _, args := range [][]string{{"generate", "./..."}, {"vet", "./..."}} {
					if out, diag, err := command.Go(args...); err != nil || diag != "" {
						t.Fatalf("go %s: %v\n%s%s", args[0], err, out, diag)
					}
				}
				if out, diag, err := command.Run(environ[0][len("POOLGEN="):], "check"); err != nil {
					t.Errorf("poolgen check: %v\n%s%s", err, out, diag)
				}
			}
		})
	}
}
