package gates

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// hedges are phrases that distinguish kinds of pools. Output is about one pool, and its comments must state facts about that pool: see package
// specialize on conditions in comments.
var hedges = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bpools? (with|without|that|whose|where|which|ordered|of equal)\b`),
	regexp.MustCompile(`(?i)\b(if|unless|where|when) (the|a|its) pool (has any|has a|has no lock|gives|keeps|zeroes|clears|trims|lends|is locked|is ordered|is shared|is sharded|takes no lock)\b`),
	regexp.MustCompile(`(?i)\b(if|unless|where) (it|there) (has|is) (any lock|a lock|no lock)\b`),
}

// hedged returns the hedges in comments of a directory's output that templates make. The docs of pools are in these comments, too.
func hedged(f *directory) (faults []string) {
	for _, s := range f.files {
		if !s.isOfTemplates() {
			continue
		}
		for _, g := range s.tree.Comments {
			text := strings.Join(strings.Fields(g.Text()), " ")
			for _, h := range hedges {
				for _, found := range h.FindAllString(text, -1) {
					faults = append(faults, fmt.Sprintf("%s: %q", s.name, found))
				}
			}
		}
	}
	return faults
}

// isOfTemplates reports whether a file is a specialised template.
func (s source) isOfTemplates() bool {
	return s.isOutput() && (strings.HasSuffix(s.name, "_core.go") || strings.HasSuffix(s.name, "_shell.go"))
}

// originals has the names in the templates.
type originals struct {
	idents   map[string]bool
	packages map[string]bool
}

// templatesHave collects the names in the templates.
func templatesHave(t *testing.T) originals {
	t.Helper()
	have := originals{map[string]bool{}, map[string]bool{}}
	for _, s := range sources(t, tempmod.Root(t), "templates") {
		if strings.HasSuffix(s.name, "_test.go") || path.Base(path.Dir(s.name)) == "specialize" {
			continue
		}
		have.packages[s.tree.Name.Name] = true
		for name := range scopeOf(s.tree).declared {
			for word := range strings.SplitSeq(name, ".") {
				have.idents[word] = true
			}
		}
	}
	return have
}

// word matches a word of a comment that may be a name in code, maybe with a qualifier, or the name of a file.
var word = regexp.MustCompile(`\pL\w*(\.\pL\w*)*`)

// command matches the command that the file of a suballocator names, with the name of a pool.
var command = regexp.MustCompile(`poolgen explain \w+ --templates`)

// plainWords are names in templates that are also words of prose and of pool files.
var plainWords = strings.Fields("binned bump bydriver classes direct fixed heap item numbers ring shards slabs span strict strips Ref")

// strangers returns words in the comments of a directory that refer to the templates: files that do not exist, packages, and identifiers that neither
// the code of the directory nor an import of the file has. Words in lower case, and words at the start of a sentence, are taken for prose.
func (w *world) strangers(t *testing.T, f *directory, have originals) (faults []string) {
	t.Helper()
	for _, s := range f.files {
		if !s.isOfTemplates() {
			continue
		}
		for _, g := range s.tree.Comments {
			text := command.ReplaceAllString(g.Text(), "")
			for _, at := range word.FindAllStringIndex(text, -1) {
				if said := text[at[0]:at[1]]; w.isStrange(t, f, s, have, said, begins(text[:at[0]])) {
					faults = append(faults, fmt.Sprintf("%s: %s", s.name, said))
				}
			}
		}
	}
	return faults
}

// begins reports whether a word after a text begins a sentence.
func begins(text string) bool {
	text = strings.TrimRight(text, " \t\n\"'([")
	return text == "" || strings.ContainsAny(text[len(text)-1:], ".:!?;") || strings.HasSuffix(text, "\n")
}

func (w *world) isStrange(t *testing.T, f *directory, s source, have originals, said string, first bool) bool {
	t.Helper()
	if kind := strings.ToLower(said); kind == "template" || kind == "templates" {
		return true
	}
	if strings.HasSuffix(said, ".go") {
		return !slices.ContainsFunc(f.files, func(s source) bool { return path.Base(s.name) == said }) && !strings.Contains(said, "/")
	}
	qualifier, rest, qualified := strings.Cut(said, ".")
	switch {
	case f.idents[qualifier] > 0 || w.declares(t, s, said) || qualified && w.declares(t, s, qualifier):
		return false
	case have.packages[qualifier]:
		return qualified && have.idents[rest] || !qualified && !slices.Contains(plainWords, qualifier)
	case !have.idents[qualifier] || slices.Contains(plainWords, said):
		return false
	}
	inside := strings.ContainsFunc(qualifier[1:], func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) })
	return inside || qualified || !first && ast.IsExported(qualifier)
}

// TestProseOfOutput checks the comments of all output.
func TestProseOfOutput(t *testing.T) {
	w, have := &world{root: tempmod.Root(t), packages: map[string]scope{}}, templatesHave(t)
	for _, f := range output(t) {
		for _, fault := range append(hedged(f), w.strangers(t, f, have)...) {
			t.Error(fault)
		}
	}
}

// TestHedgesAreFound plants hedges.
func TestHedgesAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"It costs one lock, if the pool has any.":                            "if the pool has any",
		"It costs no lock in a pool\n// without one.":                        "pool without",
		"Its content is what was left there, unless the pool zeroes.":        "unless the pool zeroes",
		"0 in pools that are not ordered with streams":                       "pools that",
		"Pools whose addresses are reserved have one chunk.":                 "Pools whose",
		"It takes a lock, if there is a lock.":                               "if there is a lock",
		"It fails if the pool is full, and where the pool has no room left.": "",
		"Pools grow.": "",
	} {
		var faults []string
		if want != "" {
			faults = []string{fmt.Sprintf("p/foo_core.go: %q", want)}
		}
		code := "// F does nothing.\n// " + text + "\nfunc F() {}"
		if got := hedged(planted(t, "foo_core.go", code)); !slices.Equal(got, faults) {
			t.Errorf("%s: got %q", text, got)
		}
		if got := hedged(planted(t, "foo_pool.go", code)); len(got) > 0 {
			t.Errorf("%s, in the words of a pool file: got %q", text, got)
		}
	}
}

// TestStrangersAreFound plants strangers.
func TestStrangersAreFound(t *testing.T) {
	w := &world{root: tempmod.Root(t), packages: map[string]scope{}}
	have := templatesHave(t)
	have.idents["minSplit2"], have.idents["Core"], have.idents["Free"] = true, true, true
	for text, want := range map[string]string{
		"Another template has it.": "template", "See hold.go.": "hold.go", "See foo_core.go.": "", "It is in hostmem.": "hostmem", "A heap is a heap.": "", "It is heap.Free that does it.": "heap.Free",
		"The least is minSplit2, or\n// more.": "minSplit2", "The row is Core.row.": "Core.row", "Its Core is one.": "Core", "Core: a word first.": "", "It frees. Free is one.": "",
		"It calls strings.ToUpper.": "", "It calls fooCore and Own.": "",
	} {
		var faults []string
		if want != "" {
			faults = []string{"p/foo_core.go: " + want}
		}
		code := "import \"strings\"\n\n// fooCore does nothing.\n// " + text + "\nfunc fooCore() { _ = strings.ToUpper }\n\nvar Own int"
		if got := w.strangers(t, planted(t, "foo_core.go", code), have); !slices.Equal(got, faults) {
			t.Errorf("%s: got %q, want %q", text, got, faults)
		}
	}
	for _, name := range plainWords {
		if !have.packages[name] && !have.idents[name] {
			t.Errorf("templates have no %s", name)
		}
	}
}
