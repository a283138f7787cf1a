package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

var (
	ruleOfCode = regexp.MustCompile("(?m)^### (PG\\d+)\n\n`(\\w+)`: ") // how the page about vet begins the text about a code
	codeOfRule = regexp.MustCompile(`(?m)^(PG\d+): `)                  // how the help of a rule begins the text about a code
)

// Each rule of poolgen vet, and each code that a rule reports, has a heading on the page that it links to.
func TestRulesOfVetHaveTheirPlaces(t *testing.T) {
	name, ok := strings.CutPrefix(rule.Page, "https://github.com/poolgen/poolgen/blob/main/")
	if !ok {
		t.Fatalf("%s is no page of the project", rule.Page)
	}
	text, err := os.ReadFile(filepath.Join(root, name))
	fatal.If(t, err)
	p := newPage(name, string(text))
	links := func(what, url string) {
		if page, anchor, _ := strings.Cut(url, "#"); page != rule.Page || !p.anchors[anchor] {
			t.Errorf("%s links to %s, which is no heading of %s", what, url, name)
		}
	}
	said := map[string]string{}
	for _, m := range ruleOfCode.FindAllStringSubmatch(string(text), -1) {
		said[m[1]] = m[2]
	}
	reports := map[string]string{}
	for _, r := range vet.Analyzers() {
		links(r.Name, r.URL)
		for _, m := range codeOfRule.FindAllStringSubmatch(r.Doc, -1) {
			reports[m[1]] = r.Name
		}
	}
	for _, info := range spec.Codes() {
		if code := string(info.Code); info.Vet {
			links(code, rule.URL(info.Code))
			if reports[code] == "" || reports[code] != said[code] {
				t.Errorf("%s is reported by rule %q; %s says %q", code, reports[code], name, said[code])
			}
		}
	}
}
