package rule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// The address of each code is that of a heading, and the help of a rule begins with what the rule reports.
func TestEachCodeIsDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(tempmod.Root(t), "docs", "vet.md"))
	fatal.If(t, err)
	for _, info := range spec.Codes() {
		if !info.Vet {
			continue
		}
		if url := rule.Page + "#" + strings.ToLower(string(info.Code)); rule.URL(info.Code) != url || !strings.Contains(string(text), "\n### "+string(info.Code)) {
			t.Errorf("docs/vet.md has no heading for %s", rule.URL(info.Code))
		}
		if doc := rule.Doc(info.Code); !strings.HasPrefix(doc, "report: "+info.Title+"\n\n") || !strings.Contains(doc, info.Help) {
			t.Errorf("help of %s:\n%s", info.Code, doc)
		}
	}
}
