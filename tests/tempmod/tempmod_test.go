package tempmod

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A new module imports poolgen from the working tree, without a network, and holds its files.
func TestModuleImportsTheWorkingTree(t *testing.T) {
	files := map[string]string{"a/a.go": "package a\n\nimport _ \"" + Path + "/runtime\"\n", "b/c/text": "x"}
	dir := New(t, "example.com/m", files)
	got := Read(t, dir)
	if !strings.HasPrefix(got["go.mod"], "module example.com/m\n") || got["go.sum"] == "" {
		t.Errorf("go.mod is %q, go.sum %q", got["go.mod"], got["go.sum"])
	}
	delete(got, "go.mod")
	delete(got, "go.sum")
	if !maps.Equal(got, files) {
		t.Errorf("the files are %q, want %q", got, files)
	}
	list := []string{"list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}} {{.Dir}}{{end}}", "./a"}
	out, diag, err := Command{Dir: dir, Env: []string{"GOPROXY=off"}, Temporary: true}.Go(list...)
	if want := Path + "/runtime " + filepath.Join(Root(t), "runtime") + "\n"; err != nil || !strings.Contains(out, want) {
		t.Errorf("go list: %v\n%s%s", err, out, diag)
	}
}

// The variables of a command come after the test's own and those that a temporary module needs, and the two outputs stay apart.
func TestCommand(t *testing.T) {
	if os.Getenv("TEMPMOD_INSIDE") != "" {
		wd, _ := os.Getwd()
		os.Stdout.WriteString(os.Getenv("GOWORK") + " " + filepath.Base(wd))
		os.Stderr.WriteString("diagnosis")
		os.Exit(3)
	}
	dir := filepath.Join(t.TempDir(), "there")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for want, env := range map[string][]string{"off there": nil, "mine there": {"GOWORK=mine"}} {
		c := Command{Dir: dir, Env: append(env, "TEMPMOD_INSIDE=1"), Temporary: true}
		if out, diag, err := c.Run(os.Args[0], "-test.run=^TestCommand$"); err == nil || out != want || diag != "diagnosis" {
			t.Errorf("with %q: output %q and %q, %v", env, out, diag, err)
		}
	}
}
