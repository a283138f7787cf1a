package docs

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/compile"
	"github.com/poolgen/poolgen/spec"
)

func TestPoolFiles(t *testing.T) {
	judgePages(t, 20, "blocks of YAML", func(p *page) (seen int, found []problem) {
		for i := range p.blocks {
			if b := &p.blocks[i]; b.language == "yaml" && unjudged(b) == "" {
				seen++
				found = append(found, judgeYAML(b)...)
			}
		}
		return seen, found
	})
}

// judgeYAML checks a block as a pool file; if it is a part of one, it is completed first. What an example's page shows must be in its pool file, too.
func judgeYAML(b *block) []problem {
	text, before := complete(b.text)
	doc, found := spec.Load(b.page.path, []byte(text))
	if doc == nil {
		return told(b, found, before)
	}
	plan, found := doc.Validate(spec.Env{Dir: "scene"})
	if len(found) > 0 {
		return told(b, found, before)
	}
	if _, found := compile.Files(context.Background(), plan, "poolgen.yaml", "docs", nil, nil); len(found) > 0 {
		return told(b, found, before)
	}
	if dir := b.page.example(); dir != "" {
		file, err := os.ReadFile(filepath.Join(root, dir, "poolgen.yaml"))
		if err != nil || !strings.Contains(string(file), strings.TrimSpace(b.text)) {
			return []problem{b.at(0, "the block is not in %s/poolgen.yaml as it stands", dir)}
		}
	}
	return nil
}

// told turns findings into problems. The text that was checked has additional lines before those of the block.
func told(b *block, found spec.Diagnostics, before int) []problem {
	var out []problem
	for _, d := range found {
		out = append(out, b.at(d.Pos.Line-1-before, "%s: %s", d.Code, d.Message))
	}
	return out
}

var (
	topKey    = regexp.MustCompile(`(?m)^(version|pools|defaults|budgets|imports|package|output):`)
	qualifier = regexp.MustCompile(`item: "?(?:\[\d+\])*([a-z]\w*)\.`)
)

// complete makes a pool file of a block, and returns the number of lines that it put in front. A block without the keys of a file has keys of a pool:
// all of them, or those below its name.
func complete(text string) (file string, before int) {
	if strings.HasPrefix(text, "version:") || strings.Contains(text, "\nversion:") {
		return text, 0
	}
	head := "version: 1\n"
	if !strings.Contains(text, "imports:") {
		for _, m := range qualifier.FindAllStringSubmatch(text, 1) {
			head += "imports: {" + m[1] + ": example.com/app/" + m[1] + "}\n"
		}
	}
	if strings.Contains(text, "budget: Scene") && !strings.Contains(text, "budgets:") {
		head += "budgets: [{name: Scene, limit: 2GiB}]\n"
	}
	switch {
	case !topKey.MatchString(text):
		head += "pools:\n"
		if !strings.Contains(text, "name:") {
			head += "  - name: Foo\n"
			text = indent(text, "    ")
		}
	case !strings.Contains(text, "pools:"):
		text += "pools: [{name: Foo, item: float32}]\n"
	}
	return head + text, strings.Count(head, "\n")
}

// indent indents lines that are not indented far enough.
func indent(text, by string) string {
	if strings.HasPrefix(text, by) {
		return text
	}
	return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by) + "\n"
}
