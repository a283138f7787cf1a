package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sourcePath is code that names files of the tree: with a slash or the ending of a file, and maybe a pattern.
var sourcePath = regexp.MustCompile(`^[a-z_.][\w.*/{},-]*(/[\w.*{},-]*|\.(go|md|yaml|json|h|c))$`)

// pathPages are the pages that tell where things are in the source. Paths are those from the root of the module, or for short from the directory of the compiler.
var pathPages = []string{"CONTRIBUTING.md", "docs/internals.md", "templates/README.md", "SECURITY.md"}

// shown are example names, and names of files that are generated.
var shown = []string{"runtime/metrics", ".build/page", "vertex_core.go"}

func TestPaths(t *testing.T) {
	judgePages(t, 40, "paths", func(p *page) (int, []problem) {
		if !slices.Contains(pathPages, p.path) {
			return 0, nil
		}
		return judgePaths(p)
	})
}

// judgePaths looks for the files that a page names.
func judgePaths(p *page) (seen int, found []problem) {
	for _, s := range p.spans {
		if !sourcePath.MatchString(s.text) || slices.Contains(shown, s.text) {
			continue
		}
		seen++
		if !exists(s.text) {
			found = append(found, problem{p.path, s.line, "there is no file " + s.text})
		}
	}
	return seen, found
}

// exists looks a path up. A name without a directory may be anywhere.
func exists(name string) bool {
	name = strings.TrimSuffix(name, "/")
	bases := []string{"", "cmd/poolgen/internal", "runtime"}
	if !strings.Contains(name, "/") {
		bases = append(bases, "*", "*/*", "*/*/*", "*/*/*/*", "*/*/*/*/*")
	}
	for _, base := range bases {
		if files, err := filepath.Glob(filepath.Join(root, base, name)); err == nil && len(files) > 0 {
			return true
		}
	}
	return false
}
