package spec

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFormatIsCanonical(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"levels and spaces", "version:   1\npools:\n- name:  A\n  trim:    {keep:  1MiB,idle: 1s}\n-   name: B\n",
			"version: 1\npools:\n  - name: A\n    trim: {keep: 1MiB, idle: 1s}\n  - name: B\n"},
		{"order of keys", "pools:\n  - limit: 1GiB\n    item: T\n    name: A\nversion: 1\nbudgets:\n  - {limit: 1, name: B}\n",
			"version: 1\nbudgets:\n  - {name: B, limit: 1}\npools:\n  - name: A\n    item: T\n    limit: 1GiB\n"},
		{"keys that nobody knows come last", "pools: []\nfoo: 1\nversion: 1\nbar: 2\n", "version: 1\npools: []\nfoo: 1\nbar: 2\n"},
		{"comments go with what they stand in front of or beside",
			"pools:\n  # the second key\n  - limit: 1GiB   # hard\n    # the name\n    name: A  # in full\nversion: 1 # of the language\n",
			"version: 1 # of the language\npools:\n  # the second key\n  # the name\n  - name: A  # in full\n    limit: 1GiB   # hard\n"},
		{"the comment in front of all stays there", "# all\n\n# of it\npools: []\nversion: 1\n", "# all\n\n# of it\nversion: 1\npools: []\n"},
		{"comments behind a block stay in it", "version: 1\npools:\n- name: A\n  # zero: always\n\n  # prime: 1MiB\n# about B\n- name: B\n\n  # limit: 1\n# the end\n",
			"version: 1\npools:\n  - name: A\n    # zero: always\n\n    # prime: 1MiB\n  # about B\n  - name: B\n\n    # limit: 1\n# the end\n"},
		{"comments below a list whose dashes are not further in", "pools:\n- name: A\n# budgets\nversion: 1\n", "# budgets\nversion: 1\npools:\n  - name: A\n"},
		{"one blank line", "\n\nversion: 1\n\n\n\npools:\n\n  - name: A\n\n\n  - name: B\n\n\n", "version: 1\n\npools:\n  - name: A\n\n  - name: B\n"},
		{"quotes", "version: 1\npools:\n  - 'name': \"A\"\n    doc: \"yes\"\n    item: '[4]float32'\n    chunk_size: \"1MiB\"\n    limit: 'none'\n",
			"version: 1\npools:\n  - name: A\n    doc: \"yes\"\n    item: '[4]float32'\n    chunk_size: \"1MiB\"\n    limit: none\n"},
		{"brackets over several lines", "version: 1\npools:\n  - {name: A,\n     bins: [16B,\n            32B]}\n", "version: 1\npools:\n  - {name: A, bins: [16B, 32B]}\n"},
		{"brackets with comments inside stay", "version: 1\npools:\n- bins: [\n    16B, # small\n  ]\n  name: A\n",
			"version: 1\npools:\n  - name: A\n    bins: [\n      16B, # small\n    ]\n"},
		{"texts stay", "pools:\n- doc: |\n    Two lines,\n\n      # of text.\n  name: A\nversion: 1\n",
			"version: 1\npools:\n  - name: A\n    doc: |\n      Two lines,\n\n        # of text.\n"},
		{"a text over lines", "version: 1\npools:\n  - name: A\n    doc: one\n      two\n", "version: 1\npools:\n  - name: A\n    doc: one two\n"},
		{"directives", "# all\n%YAML 1.2\n---\nversion: 1\n", "# all\n\nversion: 1\n"},
		{"marks of a document", "--- # first\nversion: 1\n...\n", "# first\nversion: 1\n"},
		{"a dash on a line of its own", "version: 1\npools:\n  -\n    name: A\n  - # second\n    name: B\n", "version: 1\npools:\n  - name: A\n  # second\n  - name: B\n"},
		{"line ends stay", "version: 1\r\npools: # all\r\n  - name: A\r\n", "version: 1\r\npools: # all\r\n  - name: A\r\n"},
		{"line ends are those of the first line", "version: 1\npools:\r\n- name: A\r\n", "version: 1\npools:\n  - name: A\n"},
		{"columns of comments", "version: 1\npools:\n    - name: A      # one\n      limit: 1GiB  # two\n", "version: 1\npools:\n  - name: A      # one\n    limit: 1GiB  # two\n"},
		{"an empty value", "version:\npools:   # none\n", "version:\npools:   # none\n"},
		{"no end of line", "version: 1", "version: 1\n"},
		{"all in brackets", "{pools: [], version: 1} ", "{version: 1, pools: []}\n"},
	} {
		got, found := Format("poolgen.yaml", []byte(test.before))
		if len(found) > 0 || string(got) != test.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", test.name, found, got, test.after)
		}
		checkFormat(t, []byte(test.before))
	}
}

// A file that cannot be read causes findings, and no text is returned.
func TestFormatRefusesWhatCannotBeRead(t *testing.T) {
	for _, src := range []string{"", "# only this\n", "a: [1\n", "version: 1\nversion: 1\n", "a: &x 1\nb: *x\n", "version: 1\n---\nversion: 1\n", "a: \x00\n"} {
		if got, found := Format("poolgen.yaml", []byte(src)); got != nil || len(found) == 0 {
			t.Errorf("%q: %q, %d findings", src, got, len(found))
		}
	}
}

// Every pool file of the project can be formatted, whether valid or not.
func TestEveryPoolFileCanBeFormatted(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		src, err := os.ReadFile(path)
		if err == nil && checkFormat(t, src) {
			seen++
		}
		return err
	})
	if err != nil || seen < 30 {
		t.Errorf("%d files: %v", seen, err)
	}
}

func FuzzFormat(f *testing.F) {
	f.Add([]byte("pools:\n- limit: 1 # a\n\n  # b\n  name: 'A'\n# c\nversion: 1\n# d\n"))
	f.Add([]byte("a: |2-\n   x\n\n # y\nb: [1, # z\n 2]\n"))
	f.Add([]byte("- - a: \"b\n   c\"\n  - ? d\n"))
	f.Fuzz(func(t *testing.T, src []byte) { checkFormat(t, src) })
}

// checkFormat formats a file and reports whether that succeeded. The result must mean the same, have each comment that was on a line of its own, and
// not change when it is formatted again.
func checkFormat(t *testing.T, src []byte) bool {
	t.Helper()
	out, found := Format("poolgen.yaml", src)
	if len(found) > 0 {
		return false
	}
	again, found := Format("poolgen.yaml", out)
	if len(found) > 0 || string(again) != string(out) {
		t.Errorf("%q\nbecomes %q\nthen %q %v", src, out, again, found)
	}
	before, after := commentLines(src), commentLines(out)
	for _, c := range before {
		at := slices.Index(after, c)
		if at < 0 {
			t.Errorf("%q\nbecomes %q\nwithout %q", src, out, c)
			continue
		}
		after = slices.Delete(after, at, at+1)
	}
	return true
}

// commentLines lists the lines of a file that begin as comments do.
func commentLines(src []byte) (list []string) {
	s, _ := newSource("", src)
	for _, line := range s.lines {
		if line = strings.Trim(line, " \t"); strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}
