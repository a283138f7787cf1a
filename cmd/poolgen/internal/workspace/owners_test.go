package workspace

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Two pool files in one directory are refused, and the finding marks both.
func TestOneDirectoryHasOnePoolFile(t *testing.T) {
	w := tree(t, map[string]string{
		"a/poolgen.yaml": sound, "a/second.yaml": strings.Replace(sound, "Sound", "Smell", 1), "poolgen.yaml": "version: 1\npackage: scents\noutput: a\npools: [{name: Taste}]\n",
	})
	for name, want := range map[string]string{
		"a/second.yaml": "a/second.yaml:1:1: PG051: a/poolgen.yaml has the same output directory, and both would write a/poolgen.go",
		"poolgen.yaml":  "poolgen.yaml:3:9: PG051: a/poolgen.yaml has the same output directory, and its package is senses instead of scents",
	} {
		_, found, err := w.Build(t.Context(), []string{"a/poolgen.yaml", name})
		if err != nil || len(found) != 1 || found[0].Error() != want || found[0].Excerpt == "" || len(found[0].Notes) != 1 {
			t.Errorf("%v: %+v\nwant %s", err, found, want)
			continue
		}
		if n := found[0].Notes[0]; n.File != "a/poolgen.yaml" || n.Excerpt != "version: 1" {
			t.Errorf("the note is %+v", n)
		}
	}
	w.generate(t, "a/poolgen.yaml")
	_, found, err := w.Build(t.Context(), []string{"a/second.yaml"})
	if want := "a/second.yaml:1:1: PG051: a/poolgen.go was generated from poolgen.yaml, which has the same output directory"; err != nil || len(found) != 1 || found[0].Error() != want {
		t.Errorf("later: %v, %v, want %s", found, err, want)
	}
	w.Trial = true // pools of the same names, with a type of the package and without
	w.write(t, "a/second.yaml", sound+"    item: Tone\n")
	w.write(t, "a/third.yaml", sound)
	if got := w.drift(w.built(t, "a/second.yaml", "a/third.yaml")...); !slices.Contains(got, "stale a/sound_pool.go") || !slices.Contains(got, "missing a/zz_poolgen_trial/sound_pool.go") {
		t.Errorf("in a trial: %v", got)
	}
}

// A hand-written file is reported at the pool whose file it is, or at the output directory.
func TestHandWrittenFilesAreTaken(t *testing.T) {
	for file, want := range map[string]struct{ place, help string }{
		"sound_shell.go": {"poolgen.yaml:4:11: ", "rename the pool"},
		"sound_pool.h":   {"poolgen.yaml:4:11: ", "rename the pool"},
		"poolgen.go":     {"poolgen.yaml:7:9: ", "write another directory: output: pools"},
		"sound_core.go":  {"poolgen.yaml:4:11: ", "rename the pool"},
	} {
		w := tree(t, map[string]string{"poolgen.yaml": sound + "    item: float32\n    c_header: true\noutput: gen\n", "gen/" + file: "package senses\n"})
		_, found, err := w.Build(t.Context(), nil)
		if err != nil || len(found) != 1 || !strings.HasPrefix(found[0].Error(), want.place+"PG051: gen/"+file+" would be generated, and was written by hand") ||
			!strings.HasSuffix(found[0].Help, want.help) || found[0].Excerpt == "" {
			t.Errorf("%s: %v: %+v", file, err, found)
		}
	}
}

// A file that a pool file left in another directory is removed. Of two pool files that would remove a file, one does. A file that one pool file
// generates is not removed by another.
func TestEachFileHasOneOwner(t *testing.T) {
	w := tree(t, map[string]string{"go.mod": "module m\n", "a.yaml": sound + "output: gen\n"})
	w.generate(t, "a.yaml")
	w.write(t, "a.yaml", sound+"output: other\n")
	moved := w.built(t, "a.yaml")
	if got := w.drift(moved...); len(got) != 8 || !slices.Contains(got, "orphaned gen/sound_pool.go") || !slices.Contains(got, "missing other/sound_pool.go") {
		t.Errorf("the directory was renamed: %v", got)
	}
	if err := os.Rename(w.Path("a.yaml"), w.Path("b.yaml")); err != nil {
		t.Fatal(err)
	}
	w.write(t, "c.yaml", sound+"output: third\n")
	both := w.built(t, "b.yaml", "c.yaml")
	if got := w.drift(both...); len(got) != 12 || len(slices.Compact(got)) != 12 || len(w.drift(both[0])) != 8 || len(w.drift(both[1])) != 4 {
		t.Errorf("two would remove: %v", got)
	}
	w.write(t, "c.yaml", sound+"output: gen\n")
	both = w.built(t, "b.yaml", "c.yaml")
	if got := w.drift(both...); len(got) != 8 || slices.Contains(got, "orphaned gen/sound_pool.go") || !slices.Contains(got, "stale gen/sound_pool.go") {
		t.Errorf("one wants: %v", got)
	}
}
