package docs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	all := pages(t)
	for _, p := range all {
		report(t, judgeLinks(p, all))
	}
}

// The index of the documentation has each page.
func TestIndexHasEachPage(t *testing.T) {
	all := pages(t)
	index := pageAt("docs/README.md", all[0], all)
	for _, p := range all {
		is := func(l link) bool { return l.text == path.Base(p.path) }
		if path.Dir(p.path) == "docs" && p != index && !slices.ContainsFunc(index.links, is) {
			t.Errorf("docs/README.md has no link to %s", p.path)
		}
	}
}

// pathShown is the text of a link that names a file or a directory.
var pathShown = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+/?$|^[\w-]+\.(md|go|cu|yaml|json|sum)$`)

// judgeLinks follows the links of a page that stay within the project. One that shows a path must lead there; it may leave out the beginning.
func judgeLinks(p *page, all []*page) []problem {
	var found []problem
	for _, l := range p.links {
		if strings.Contains(l.text, "://") || strings.HasPrefix(l.text, "mailto:") {
			continue
		}
		file, anchor, _ := strings.Cut(l.text, "#")
		target := p.path
		if file != "" {
			target = path.Join(path.Dir(p.path), file)
		}
		if _, err := os.Stat(filepath.Join(root, target)); file != "" && err != nil {
			found = append(found, problem{p.path, l.line, fmt.Sprintf("link to %s, which does not exist", target)})
			continue
		}
		if shown := strings.Trim(l.shown, "`"); pathShown.MatchString(shown) && !strings.HasSuffix("/"+target, "/"+strings.TrimSuffix(shown, "/")) {
			found = append(found, problem{p.path, l.line, fmt.Sprintf("link to %s: %s is not the target's path", target, shown)})
		}
		if anchor == "" {
			continue
		}
		if to := pageAt(target, p, all); to == nil || !to.anchors[anchor] {
			found = append(found, problem{p.path, l.line, fmt.Sprintf("link to %s, which has no heading #%s", target, anchor)})
		}
	}
	return found
}

// pageAt finds a page by its path, or returns nil.
func pageAt(target string, p *page, all []*page) *page {
	if target == p.path {
		return p
	}
	for _, other := range all {
		if other.path == target {
			return other
		}
	}
	return nil
}
