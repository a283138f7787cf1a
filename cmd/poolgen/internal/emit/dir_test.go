package emit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

func TestDirectoriesAndLinks(t *testing.T) {
	want := map[string][]byte{"a.go": generated("x")}
	t.Run("made when missing", func(t *testing.T) {
		dir := t.TempDir()
		fatal.If(t, Apply(t.Context(), compare(t, dir, "in/ner", want)))
		if _, ok := tree(t, dir)["in/ner/a.go"]; !ok {
			t.Error("not written")
		}
	})
	t.Run("above the pool file", func(t *testing.T) {
		for _, path := range []string{"..", "../gen", "in/../../gen", "/gen"} {
			if err := Apply(t.Context(), Changes{Dir{Base: t.TempDir(), Path: path}, []Change{{"a.go", Missing, nil, want["a.go"]}}}); err == nil {
				t.Errorf("%s is written to", path)
			}
		}
	})
	t.Run("link inside", func(t *testing.T) {
		dir := t.TempDir()
		fatal.If(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
		fatal.If(t, os.Symlink("real", filepath.Join(dir, "gen")))
		fatal.If(t, Apply(t.Context(), compare(t, dir, "gen", want)))
		if _, ok := tree(t, dir)["real/a.go"]; !ok {
			t.Error("not written")
		}
	})
	t.Run("link inside stays when orphans go", func(t *testing.T) {
		dir := t.TempDir()
		target, content := Dir{Base: dir, Path: "gen"}, []byte(Header("../poolgen.yaml"))
		write(t, dir, "real/a.go", content)
		write(t, dir, "real/orphan.go", content)
		fatal.If(t, os.Symlink("real", filepath.Join(dir, "gen")))
		for _, want := range []map[string][]byte{{"a.go": content}, nil} { // some of the files there, then all of them
			changes, err := Compare(t.Context(), target, target.Owner(owner), want, isGo)
			fatal.If(t, err)
			fatal.If(t, Apply(t.Context(), changes))
			if info, err := os.Lstat(filepath.Join(dir, "gen")); err != nil || len(tree(t, dir)) != len(want) {
				t.Errorf("left: %v, %v, %q", info, err, tree(t, dir))
			}
		}
	})
	t.Run("not made", func(t *testing.T) {
		dir := t.TempDir()
		changes := Changes{Dir{Base: dir, Path: "in/" + strings.Repeat("long", 100)}, []Change{{"a.go", Missing, nil, want["a.go"]}}}
		if err := Apply(t.Context(), changes); err == nil || len(tree(t, dir)) != 0 {
			t.Errorf("Apply: %v", err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("left: %v, %v", entries, err)
		}
	})
	t.Run("a file in the way", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, "gen", nil)
		if _, err := Compare(t.Context(), Dir{Base: dir, Path: "gen/deep"}, owner, want, isGo); err == nil || strings.Contains(err.Error(), "links") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("link out", func(t *testing.T) {
		dir, elsewhere := t.TempDir(), t.TempDir()
		fatal.If(t, os.Symlink(elsewhere, filepath.Join(dir, "gen")))
		if _, err := Compare(t.Context(), Dir{Base: dir, Path: "gen"}, owner, want, isGo); err == nil || !strings.Contains(err.Error(), "links that lead out") {
			t.Errorf("a link out of the directory: %v", err)
		}
		// The link may also appear after Compare.
		changes := Changes{Dir{Base: dir, Path: "gen"}, []Change{{"a.go", Missing, nil, want["a.go"]}}}
		if err := Apply(t.Context(), changes); err == nil || len(tree(t, elsewhere)) != 0 {
			t.Errorf("Apply: %v", err)
		}
	})
}
