package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFindLooksUpwardsWithinTheModule(t *testing.T) {
	w := tree(t, map[string]string{
		"poolgen.yaml": sound, "go.mod": "module m\n", "sub/deeper/x": "", "sub/inner/go.mod": "module inner\n", "sub/inner/x/y": "", "sub/own/poolgen.yaml": sound,
		"sub/inner/short/poolgen.yml": sound,
	})
	for dir, want := range map[string]string{".": "poolgen.yaml", "sub/deeper": "poolgen.yaml", "sub/own": "sub/own/poolgen.yaml"} {
		got, err := w.below(dir).Find(nil)
		if err != nil || !slices.Equal(got, []string{w.Path(want)}) {
			t.Errorf("in %s: %v, %v, want %s", dir, got, err, want)
		}
	}
	for dir, want := range map[string]string{
		"sub/inner":       "there is no poolgen.yaml here: poolgen init writes one",
		"sub/inner/x":     "there is no poolgen.yaml here or in a directory above, up to go.mod: poolgen init writes one",
		"sub/inner/short": "but there is poolgen.yml: rename it, or name it on the command line",
	} {
		_, err := w.below(dir).Find(nil)
		expect(t, dir, err, want)
	}
	if err := os.Remove(w.Path("go.mod")); err != nil {
		t.Fatal(err)
	}
	_, err := w.below("sub/deeper").Find(nil)
	expect(t, "outside of any module", err, "there is no poolgen.yaml here: poolgen init")
}

// What has the name of a pool file and is none is not passed over for the file above.
func TestFindRefusesWhatIsNoPoolFile(t *testing.T) {
	w := tree(t, map[string]string{"go.mod": "module m\n", "poolgen.yaml": sound, "directory/poolgen.yaml/x": "", "link/x": "", "loop/x": "", "sound/x": ""})
	for link, to := range map[string]string{"link": "nowhere.yaml", "loop": PoolFile, "sound": "../poolgen.yaml"} {
		if err := os.Symlink(to, w.Path(filepath.Join(link, PoolFile))); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	for dir, want := range map[string]string{
		"directory": "poolgen.yaml is a directory, and pool files are searched by that name: rename it, or name the pool file on the command line",
		"link":      "poolgen.yaml is a link to a file that does not exist: remove the link, or name the pool file on the command line",
		"loop":      "poolgen.yaml: too many levels of symbolic links",
	} {
		_, err := w.below(dir).Find(nil)
		expect(t, dir, err, want)
	}
	if got, err := w.below("sound").Find(nil); err != nil || !slices.Equal(got, []string{w.Path("sound/poolgen.yaml")}) {
		t.Errorf("a link to a pool file: %v, %v", got, err)
	}
}

func TestFindTakesEachFileOnce(t *testing.T) {
	w := tree(t, map[string]string{"a/x.yaml": sound, "b.yaml": sound})
	names := []string{"a/x.yaml", "b.yaml", "a/../b.yaml", w.Path("a/x.yaml")}
	if os.Symlink(w.Path("b.yaml"), w.Path("link.yaml")) == nil {
		names = append(names, "link.yaml")
	}
	got, err := w.Find(names)
	if want := []string{w.Path("a/x.yaml"), w.Path("b.yaml")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for name, want := range map[string]string{
		"none.yaml": "none.yaml: no such file",
		"a":         "a is a directory: name the pool file in it, as in a/poolgen.yaml",
		".":         ". is a directory: name the pool file in it, as in poolgen.yaml",
		// These would end the comment that names the pool file, or change what a terminal shows.
		"a\nb.yaml":     `the name "a\nb.yaml" holds what is not text: rename it`,
		"a\rb.yaml":     `the name "a\rb.yaml" holds what is not text: rename it`,
		"a/\x1b[31m/b":  `the name "a/\x1b[31m/b" holds what is not text: rename it`,
		"a\xff.yaml":    `the name "a\xff.yaml" holds what is not text: rename it`,
		"a\ufeff.yaml":  `the name "a\ufeff.yaml" holds what is not text: rename it`,
		"a\u202eb.yaml": `the name "a\u202eb.yaml" holds what is not text: rename it`,
	} {
		_, err := w.Find([]string{"b.yaml", name})
		expect(t, name, err, want)
	}
}

func TestReadRefusesWhatIsNoFile(t *testing.T) {
	w := tree(t, map[string]string{"a/x.yaml": sound})
	text, err := w.Read(w.Path("a/x.yaml"))
	if string(text) != sound || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	_, err = w.Read(w.Path("a"))
	expect(t, "a directory", err, "a is not a regular file: name a pool file on disk")
	_, err = w.Read(w.Path("none.yaml"))
	expect(t, "no file", err, "none.yaml")
	for file, want := range map[string]bool{
		"/dev/stdin": true, "/dev/fd/0": true, "/proc/self/fd/0": true, "/proc/self/../self/fd/0": true, "/home/me/poolgen.yaml": false, "/development/x": false,
	} {
		if got := standsForAnother(filepath.FromSlash(file)); got != want {
			t.Errorf("%s stands for another: %v", file, got)
		}
	}
}
