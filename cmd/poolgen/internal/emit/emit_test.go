package emit

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const owner = "poolgen.yaml"

// generated returns content as the generator would make it for the pool file owner.
func generated(body string) []byte { return []byte(Header(owner) + "\n\n" + body) }

// tree returns the content of every file below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(content)
		return err
	}))
	return files
}

func write(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, content, 0o644))
}

// drifted is a folder with one file of each kind, beside files that are none of ours.
func drifted(t *testing.T) (dir string, want map[string][]byte) {
	dir = t.TempDir()
	write(t, dir, "a.go", generated("same"))
	write(t, dir, "b.go", generated("old"))
	write(t, dir, "orphan.go", generated("gone"))
	write(t, dir, "hand.go", []byte("package p\n"))
	write(t, dir, "other.yaml", nil)
	write(t, dir, "other.go", []byte(Header("other.yaml")+"\n"))
	write(t, dir, "left.go", []byte(Header("gone.yaml")+"\n"))
	write(t, dir, "sub/orphan.go", generated("in another folder"))
	return dir, wanted()
}

// wanted is what drifted wants.
func wanted() map[string][]byte {
	return map[string][]byte{"a.go": generated("same"), "b.go": generated("new"), "c.go": generated("added")}
}

func compare(t *testing.T, dir, path string, want map[string][]byte) Changes {
	t.Helper()
	changes, err := Compare(Folder{dir, path}, owner, want, isGo)
	must(t, err)
	return changes
}

func TestCompareAndApply(t *testing.T) {
	dir, want := drifted(t)
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
	must(t, os.Chtimes(filepath.Join(dir, "a.go"), past, past))
	changes := compare(t, dir, ".", want)
	var got []string
	for _, c := range changes.Files {
		got = append(got, fmt.Sprint(c.Name, " ", c.Kind))
	}
	if s := strings.Join(got, ", "); s != "a.go unchanged, b.go stale, c.go missing, left.go orphaned, orphan.go orphaned" {
		t.Errorf("Compare: %s", s)
	}
	must(t, Apply(changes))
	if drift := compare(t, dir, ".", want).Drift(); len(drift) != 0 {
		t.Errorf("drift after Apply: %v", drift)
	}
	expect := map[string]string{
		"a.go": string(want["a.go"]), "b.go": string(want["b.go"]), "c.go": string(want["c.go"]),
		"hand.go": "package p\n", "other.yaml": "", "other.go": Header("other.yaml") + "\n", "sub/orphan.go": string(generated("in another folder")),
	}
	if files := tree(t, dir); !maps.Equal(files, expect) {
		t.Errorf("after Apply: %q", files)
	}
	info, err := os.Stat(filepath.Join(dir, "a.go"))
	must(t, err)
	if !info.ModTime().Equal(past) {
		t.Error("the unchanged file was touched")
	}
}

// TestFilesOfOtherNamesStay has copies of a generated file, as merges and editors leave them: they say that they are generated, and are not.
func TestFilesOfOtherNamesStay(t *testing.T) {
	dir := t.TempDir()
	want := map[string][]byte{"a.go": generated("x")}
	for _, name := range []string{"a.go", "a.go.orig", "a.go~"} {
		write(t, dir, name, want["a.go"])
	}
	must(t, Apply(compare(t, dir, ".", want)))
	if files := tree(t, dir); len(files) != 3 {
		t.Errorf("left: %q", files)
	}
	if _, err := Compare(Folder{dir, "."}, owner, map[string][]byte{"a.c": generated("x")}, isGo); err == nil {
		t.Error("a file would be written that no later run takes for generated")
	}
}

// TestFilesThatComeMeanwhileStay puts files of the user's in the place of what Compare has seen.
func TestFilesThatComeMeanwhileStay(t *testing.T) {
	for _, name := range []string{"b.go", "c.go", "orphan.go"} { // to be replaced, to be made, to be removed
		for what, put := range map[string]func(path string) error{
			"file":   func(path string) error { return os.WriteFile(path, []byte("package mine\n"), 0o644) },
			"link":   func(path string) error { return os.Symlink("hand.go", path) },
			"folder": func(path string) error { return os.Mkdir(path, 0o755) },
		} {
			dir, want := drifted(t)
			changes := compare(t, dir, ".", want)
			path := filepath.Join(dir, name)
			_ = os.Remove(path)
			must(t, put(path))
			before := tree(t, dir)
			if err := Apply(changes); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: a %s: %v", name, what, err)
			}
			if got := tree(t, dir); !maps.Equal(got, before) {
				t.Errorf("%s: a %s: left %q", name, what, got)
			}
			if info, err := os.Lstat(path); err != nil || (info.Mode().Type() == 0) != (what == "file") {
				t.Errorf("%s: the %s is %v, %v", name, what, info, err)
			}
		}
	}
}

func TestPermissionsStay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions")
	}
	dir := t.TempDir()
	permissions := map[string]os.FileMode{"readonly.go": 0o444, "shared.go": 0o664, "private.go": 0o600}
	want := map[string][]byte{"new.go": generated("new")}
	for name, mode := range permissions {
		write(t, dir, name, generated("old"))
		must(t, os.Chmod(filepath.Join(dir, name), mode))
		want[name] = generated("new")
	}
	write(t, dir, "usual", nil)
	usual, err := os.Stat(filepath.Join(dir, "usual"))
	must(t, err)
	permissions["new.go"] = usual.Mode().Perm()
	must(t, Apply(compare(t, dir, ".", want)))
	for name, mode := range permissions {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if info.Mode().Perm() != mode {
			t.Errorf("%s: %v, want %v", name, info.Mode(), mode)
		}
	}
}

// TestHardLinksKeepTheirContent generates into a copy of a work tree that shares its files: the other one stays as it is.
func TestHardLinksKeepTheirContent(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.go", generated("old"))
	if err := os.Link(filepath.Join(dir, "a.go"), filepath.Join(dir, "other")); err != nil {
		t.Skip("no hard links here: ", err)
	}
	must(t, Apply(compare(t, dir, ".", map[string][]byte{"a.go": generated("new")})))
	if got := tree(t, dir); got["a.go"] != string(generated("new")) || got["other"] != string(generated("old")) {
		t.Errorf("got %q", got)
	}
}

func TestLineEndsOfCheckoutsAreNoDrift(t *testing.T) {
	dir := t.TempDir()
	content := generated("a\nb\n")
	write(t, dir, "a.go", []byte(strings.ReplaceAll(string(content), "\n", "\r\n")))
	write(t, dir, "orphan.go", []byte(strings.ReplaceAll(string(content), "\n", "\r\n")))
	changes := compare(t, dir, ".", map[string][]byte{"a.go": content})
	if changes.Count(Unchanged) != 1 || changes.Count(Orphaned) != 1 {
		t.Errorf("got %v", changes.Files)
	}
}

func TestCompareRefuses(t *testing.T) {
	want := map[string][]byte{"a.go": generated("x")}
	tests := []struct {
		name    string
		prepare func(dir string) error
		want    map[string][]byte
		err     string
	}{
		{"hand-written", func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.go"), []byte("package p"), 0o644) }, want, "a.go was not generated by poolgen"},
		{"empty", func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.go"), nil, 0o644) }, want, "a.go was not generated by poolgen"},
		{"another owner", func(dir string) error {
			write(t, dir, "b.yaml", nil)
			return os.WriteFile(filepath.Join(dir, "a.go"), []byte(Header("b.yaml")), 0o644)
		}, want, "a.go was generated from b.yaml"},
		{"folder", func(dir string) error { return os.Mkdir(filepath.Join(dir, "a.go"), 0o755) }, want, "a.go is not a regular file"},
		{"link", func(dir string) error { return os.Symlink("elsewhere", filepath.Join(dir, "a.go")) }, want, "a.go is not a regular file"},
		{"path", nil, map[string][]byte{"../a.go": generated("x")}, "not the name of a file"},
		{"header", nil, map[string][]byte{"a.go": []byte("package p")}, "lacks the header"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if test.prepare != nil {
				must(t, test.prepare(dir))
			}
			_, err := Compare(Folder{dir, "."}, owner, test.want, isGo)
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %v, want %q", err, test.err)
			}
		})
	}
}

func TestFoldersAndLinks(t *testing.T) {
	want := map[string][]byte{"a.go": generated("x")}
	t.Run("made when missing", func(t *testing.T) {
		dir := t.TempDir()
		must(t, Apply(compare(t, dir, "in/ner", want)))
		if _, ok := tree(t, dir)["in/ner/a.go"]; !ok {
			t.Error("not written")
		}
	})
	t.Run("above the pool file", func(t *testing.T) {
		for _, path := range []string{"..", "../gen", "in/../../gen", "/gen"} {
			if err := Apply(Changes{Folder{t.TempDir(), path}, []Change{{"a.go", Missing, nil, want["a.go"]}}}); err == nil {
				t.Errorf("%s is written to", path)
			}
		}
	})
	t.Run("link inside", func(t *testing.T) {
		dir := t.TempDir()
		must(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
		must(t, os.Symlink("real", filepath.Join(dir, "gen")))
		must(t, Apply(compare(t, dir, "gen", want)))
		if _, ok := tree(t, dir)["real/a.go"]; !ok {
			t.Error("not written")
		}
	})
	t.Run("link inside stays when orphans go", func(t *testing.T) {
		dir := t.TempDir()
		folder, content := Folder{dir, "gen"}, []byte(Header("../poolgen.yaml"))
		write(t, dir, "real/a.go", content)
		write(t, dir, "real/orphan.go", content)
		must(t, os.Symlink("real", filepath.Join(dir, "gen")))
		for _, want := range []map[string][]byte{{"a.go": content}, nil} { // some of the files there, then all of them
			changes, err := Compare(folder, folder.Owner(owner), want, isGo)
			must(t, err)
			must(t, Apply(changes))
			if info, err := os.Lstat(filepath.Join(dir, "gen")); err != nil || len(tree(t, dir)) != len(want) {
				t.Errorf("left: %v, %v, %q", info, err, tree(t, dir))
			}
		}
	})
	t.Run("not made", func(t *testing.T) {
		dir := t.TempDir()
		changes := Changes{Folder{dir, "in/" + strings.Repeat("long", 100)}, []Change{{"a.go", Missing, nil, want["a.go"]}}}
		if err := Apply(changes); err == nil || len(tree(t, dir)) != 0 {
			t.Errorf("Apply: %v", err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("left: %v, %v", entries, err)
		}
	})
	t.Run("a file in the way", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, "gen", nil)
		if _, err := Compare(Folder{dir, "gen/deep"}, owner, want, isGo); err == nil || strings.Contains(err.Error(), "links") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("link out", func(t *testing.T) {
		dir, elsewhere := t.TempDir(), t.TempDir()
		must(t, os.Symlink(elsewhere, filepath.Join(dir, "gen")))
		if _, err := Compare(Folder{dir, "gen"}, owner, want, isGo); err == nil || !strings.Contains(err.Error(), "links that lead out") {
			t.Errorf("a link out of the folder: %v", err)
		}
		// The link may also appear after Compare.
		changes := Changes{Folder{dir, "gen"}, []Change{{"a.go", Missing, nil, want["a.go"]}}}
		if err := Apply(changes); err == nil || len(tree(t, elsewhere)) != 0 {
			t.Errorf("Apply: %v", err)
		}
	})
}

func TestOwner(t *testing.T) {
	for content, want := range map[string]string{
		Header("a.yaml"):                     "a.yaml",
		Header("a b.yaml") + "\r\npackage p": "a b.yaml",
		"// Code generated by poolgen from ": "",
		"\n" + Header("a.yaml"):              "",
		"":                                   "",
	} {
		if got, _ := Owner([]byte(content)); got != want {
			t.Errorf("Owner(%q) = %q, want %q", content, got, want)
		}
	}
}
