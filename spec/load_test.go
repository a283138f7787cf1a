package spec

import (
	"strings"
	"testing"
)

// A broken file is reported at the place where a reader would look for the mistake.
func TestBrokenYAMLIsReportedInPlace(t *testing.T) {
	for name, test := range map[string]struct{ src, want string }{
		"deeper than the block":     {"version: 1\npools:\n  - name: A\n     item: B\n", "4:6: PG003: this line is indented by 5, and the block it stands in by 4"},
		"between two blocks":        {"pools:\n  - name: A\n   item: B\n", "3:4: PG003: this line is indented by 3, and the block it stands in by 4"},
		"left of the top":           {"  version: 1\npools: []\n", "2:1: PG003: this line is indented by 0, and the block it stands in by 2"},
		"bracket at the end":        {"pools:\n  - {name: A, item: B\n", "2:5: PG004: this bracket is not closed"},
		"bracket before a key":      {"budgets: [{name: A, limit: 1GiB}\npools:\n  - name: A\n", "1:10: PG004: this bracket is not closed"},
		"wrong bracket":             {"pools: [{name: A]\n", "1:9: PG004: this bracket is not closed"},
		"double quote":              {"pools:\n  - name: \"A\n    item: B\n    doc: \"x\"\n", "2:11: PG004: this quote is not closed"},
		"single quote":              {"pools:\n  - doc: 'it''s\n    name: A\n", "2:10: PG004: this quote is not closed"},
		"quote in brackets":         {"pools: [{name: \"A}]\n", "1:16: PG004: this quote is not closed"},
		"quote over brackets":       {"# é\ndefaults: {doc: \"é}\npools: []\n", "2:17: PG004: this quote is not closed"},
		"tab":                       {"pools:\n\t- name: A\n", "2:1: PG002: a tab indents this line"},
		"tab after spaces":          {"pools:\n  - name: A\n  \titem: B\n", "3:3: PG002: a tab indents this line"},
		"array type":                {"pools:\n  - name: A\n    item: [4]float32\n", "3:11: PG003: YAML takes the brackets of this value for a list"},
		"array type in braces":      {"pools: [{name: A, item: [4]float32}]\n", "1:25: PG003: YAML takes the brackets"},
		"array type in a long list": {"pools: [\n  {name: A, item: [4]float32},\n]\n", "2:19: PG003: YAML takes the brackets"},
		"second colon":              {"pools:\n  - name: A\n    doc: a note: this\n", "3:16: PG003: a second colon on the line"},
		"no space after colon":      {"version: 1\npools:\n  - name:A\n    item: B\n", "3:5: PG003: there is no space after the colon"},
		"colon without space":       {"version:1\npools: []\n", "1:1: PG003: there is no space after the colon"},
		"no key":                    {"version: 1\npools\n", "2:1: PG003: there is no colon after the key"},
		"no key, colon":             {"version: 1\npools:[]\n", "2:1: PG003: there is no space after the colon"},
		"escape":                    {"pools:\n  - doc: \"C:\\dir\"\n", "2:13: PG003: "},
		"reserved":                  {"pools:\n  - name: @A\n", "2:11: PG003: a value cannot begin with @"},
		"unknown alias":             {"pools:\n  - trim: *keep\n", "2:11: PG006: aliases are not part of pool files"},
		"text after quote":          {"pools:\n  - name: \"A\" B\n", "2:11: PG003: there is text after the end of this value"},
		"deep brackets":             {"a: " + strings.Repeat("[", 100000), "1:36: PG009: the file is nested deeper than any pool file"},
		"deep dashes":               {strings.Repeat("- ", 100000), "1:65: PG009: the file is nested deeper than any pool file"},
		"closed brackets":           {strings.Repeat("[", 40) + strings.Repeat("]", 40), "1:34: PG009: the file is nested deeper than any pool file"},
		"not UTF-8":                 {"version: 1\n# \xff\n", "2:3: PG001: the file holds a byte that is not UTF-8"},
		"UTF-16":                    {"\xff\xfev\x00", "1:1: PG001: the file holds UTF-16, and pool files are UTF-8"},
		"NUL":                       {"version: é\x00", "1:11: PG001: the file holds a NUL character"},
		"mark inside":               {"a: \ufeff", "1:4: PG001: the file holds a byte order mark in the middle"},
		"line separator":            {"a: b\u2028c", "1:5: PG001: the file holds a line separator that most editors do not show"},
		"reordered":                 {"a: \u202eb", "1:4: PG001: the file holds a character that reorders the text around it"},
		"empty":                     {"", "1:1: PG008: the file is empty"},
		"comment":                   {"# only\n", "1:1: PG008: the file holds comments only"},
		"null":                      {"~\n", "1:1: PG008: the file is empty"},
		"marker":                    {"---\n", "1:1: PG008: the file is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, found := Load("f", []byte(test.src))
			if doc != nil || len(found) != 1 {
				t.Fatalf("got document %v, findings %v", doc != nil, found)
			}
			if got := strings.TrimPrefix(found[0].Error(), "f:"); !strings.HasPrefix(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Structures that YAML allows and pool files do not are reported together with the findings of validation.
func TestYAMLBeyondPoolFilesIsRefused(t *testing.T) {
	src := "version: 1\nx-a: &a {limit: 1MiB}\ndefaults: {<<: *a}\npools:\n  - name: A\n    item: !!str float32\n    1: 2\n    limit: 2MiB\n    limit: none\n---\nversion: 1\n"
	_, found := check(t, src, "")
	want := []string{
		"2:1: PG010: unknown key \"x-a\"",
		"2:6: PG006: anchors are not part of pool files",
		"3:12: PG006: merge keys are not part of pool files",
		"6:11: PG006: tags are not part of pool files",
		"7:5: PG011: a key is a name, and this is \"1\"",
		"9:5: PG005: the key \"limit\" is set twice",
		"10:1: PG007: a second document begins here, and a pool file is one document",
	}
	compare(t, found, want)
}

// compare compares findings with "line:column: code: beginning of the message".
func compare(t *testing.T, found Diagnostics, want []string) (same bool) {
	t.Helper()
	same = true
	for i := 0; i < max(len(found), len(want)); i++ {
		got, expected := "nothing", "nothing"
		if i < len(found) {
			got = strings.TrimPrefix(found[i].Error(), "poolgen.yaml:")
		}
		if i < len(want) {
			expected = want[i]
		}
		if !strings.HasPrefix(got, expected) {
			t.Errorf("finding %d\n got %s\nwant %s", i+1, got, expected)
			same = false
		}
	}
	return same
}

// A byte order mark and the kind of line ends change neither the content of a file nor positions in it.
func TestLineEndsChangeNothing(t *testing.T) {
	lf := "version: 1\npools:\n  - name: Vertex\n    doc: é\n    item: float23\n    limit: x\n"
	_, want := check(t, lf, "")
	for _, src := range []string{"\ufeff" + lf, strings.ReplaceAll(lf, "\n", "\r\n"), "\ufeff---\r\n" + strings.ReplaceAll(lf, "\n", "\r")} {
		_, got := check(t, src, "")
		if len(got) != len(want) || got[0].Message != want[0].Message || got[0].Pos.Column != want[0].Pos.Column || got[0].Excerpt != want[0].Excerpt {
			t.Errorf("%q:\n%s\nwant\n%s", src, got.Text(false), want.Text(false))
		}
	}
}

// Columns count characters, and the mark is as wide as the value.
func TestColumnsCountCharacters(t *testing.T) {
	_, found := check(t, "version: 1\npools: [{name: Äö, doc: \"日本\", item: float32, limit: 12 kib, fit: 'best', tests: }]\n", "")
	want := map[string]int{"12 kib": 0, "'best'": 0, "tests": 0}
	for _, d := range found {
		marked := string([]rune(d.Excerpt)[d.Pos.Column-1 : d.End.Column-1])
		if _, ok := want[marked]; !ok {
			t.Errorf("marked %q: %s", marked, d.Error())
		}
	}
	if len(found) != len(want) {
		t.Error(found.Text(false))
	}
}
