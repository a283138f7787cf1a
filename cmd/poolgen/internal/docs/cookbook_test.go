package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cookbookParts are the headings of an example's page, in their order.
var cookbookParts = []string{"## When", "## The pool file", "## The call", "## Run it", "## What to look at"}

// Every example has a page with the same parts, and a line in the index.
func TestCookbook(t *testing.T) {
	all := pages(t)
	files, err := filepath.Glob(filepath.Join(root, "generated_examples/*/README.md"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	index := pageAt("generated_examples/README.md", all[0], all)
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if !slices.ContainsFunc(index.links, func(l link) bool { return l.text == name }) {
			t.Errorf("%s is not in generated_examples/README.md", name)
		}
		text, err := os.ReadFile(filepath.Join(root, "generated_examples", name, "README.md"))
		if err != nil {
			t.Error(err)
			continue
		}
		var parts []string
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "## ") {
				parts = append(parts, line)
			}
		}
		if !slices.Equal(parts, cookbookParts) {
			t.Errorf("generated_examples/%s/README.md has the parts %q, want %q", name, parts, cookbookParts)
		}
	}
}
