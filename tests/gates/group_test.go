package gates

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// methodsOf returns the methods of pools of generated_examples/scene that a program contains.
func methodsOf(t *testing.T, statement string) (methods []string) {
	t.Helper()
	dir := tempmod.New(t, "example.com/app", map[string]string{"main.go": "package main\n\nimport \"" + tempmod.Path + "/generated_examples/scene\"\n\nfunc main() { " + statement + " }\n"})
	command := tempmod.Command{Dir: dir, Temporary: true}
	if _, stderr, err := command.Go("build", "-o", "app", "."); err != nil {
		t.Fatalf("go build: %v\n%s", err, stderr)
	}
	out, stderr, err := command.Go("tool", "nm", "app")
	if err != nil {
		t.Fatalf("go tool nm: %v\n%s", err, stderr)
	}
	for line := range strings.Lines(out) {
		if _, name, found := strings.Cut(line, "/generated_examples/scene."); found && strings.Contains(name, "Pool).") {
			methods = append(methods, strings.TrimSpace(name))
		}
	}
	return methods
}

// TestUnusedGroupCostsNothing: a program that does not use the group of a package's pools contains nothing of pools that it does not use either.
func TestUnusedGroupCostsNothing(t *testing.T) {
	for _, name := range methodsOf(t, "_, _ = scene.AllocIndex(1)") {
		if !strings.HasPrefix(name, "(*IndexPool).") {
			t.Errorf("a program with one pool of three contains %s", name)
		}
	}
	if all := strings.Join(methodsOf(t, "_ = scene.Pools.CloseAll()"), " "); !strings.Contains(all, "(*VertexPool).Close") || !strings.Contains(all, "(*MatrixPool).Close") {
		t.Errorf("a program that closes all pools contains %s", all)
	}
}
