package emit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

func isGo(name string) bool { return strings.HasSuffix(name, ".go") }

// strays lists what Strays finds for a pool file of dir whose output is its own directory.
func strays(t *testing.T, dir, output, poolFile string) []string {
	t.Helper()
	sets, err := Strays(t.Context(), Dir{Base: dir, Path: output}, poolFile, isGo)
	fatal.If(t, err)
	var names []string
	for _, set := range sets {
		for _, f := range set.Drift() {
			names = append(names, set.Dir.Path+"/"+f.Name+" "+string(f.Kind))
		}
	}
	return names
}

func TestStrays(t *testing.T) {
	dir := t.TempDir()
	from := func(owner string) []byte { return []byte(Header(owner) + "\n") }
	write(t, dir, "poolgen.yaml", nil)
	write(t, dir, "other.yaml", nil)
	for name, owner := range map[string]string{
		"gen/ours.go":          "../poolgen.yaml",
		"gen/deep/ours.go":     "../../poolgen.yaml",
		"gen/gone.go":          "../gone.yaml",
		"gen/neighbour.go":     "../other.yaml",
		"gen/elsewhere.go":     "poolgen.yaml", // a copy of another directory's output, or its pool file is gone: not ours
		"gen/above.go":         "../../poolgen.yaml",
		"output/now.go":        "../poolgen.yaml",
		"vendor/a/v.go":        "../../poolgen.yaml",
		"a/testdata/t.go":      "../../poolgen.yaml",
		".git/g.go":            "../poolgen.yaml",
		"_old/o.go":            "../poolgen.yaml",
		"module/m.go":          "../poolgen.yaml",
		"module/inside/too.go": "../../poolgen.yaml",
	} {
		write(t, dir, name, from(owner))
	}
	write(t, dir, "module/go.mod", nil)
	write(t, dir, "gen/hand.go", []byte("package gen\n"))
	fatal.If(t, os.Symlink("output", filepath.Join(dir, "link")))
	want := []string{"gen/gone.go orphaned", "gen/ours.go orphaned", "gen/deep/ours.go orphaned"}
	got := strays(t, dir, "output", "poolgen.yaml")
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("got %q", got)
	}
	if got := strays(t, dir, "link", "poolgen.yaml"); slices.Contains(got, "output/now.go orphaned") {
		t.Errorf("through a link to the output directory: %q", got)
	}
}

func TestOwnerThroughLinks(t *testing.T) {
	dir := t.TempDir()
	fatal.If(t, os.MkdirAll(filepath.Join(dir, "real/deep"), 0o755))
	fatal.If(t, os.Symlink("real/deep", filepath.Join(dir, "gen")))
	for output, want := range map[string]string{".": "p.yaml", "gen": "../../p.yaml", "gen/new": "../../../p.yaml", "none/yet": "../../p.yaml"} {
		if got := (Dir{Base: dir, Path: output}).Owner("p.yaml"); got != want {
			t.Errorf("%s: %s, want %s", output, got, want)
		}
	}
}

func TestEmptiedDirectoriesGo(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "poolgen.yaml", nil)
	write(t, dir, "a/b/x.go", []byte(Header("../../poolgen.yaml")))
	write(t, dir, "c/x.go", []byte(Header("../poolgen.yaml")))
	write(t, dir, "c/hand.go", []byte("package c\n"))
	sets, err := Strays(t.Context(), Dir{Base: dir, Path: "."}, "poolgen.yaml", isGo)
	fatal.If(t, err)
	fatal.If(t, Apply(t.Context(), sets...))
	entries, err := os.ReadDir(dir)
	fatal.If(t, err)
	if len(entries) != 2 || len(tree(t, dir)) != 2 {
		t.Errorf("left: %v, %v", entries, tree(t, dir))
	}
}
