package facade

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/templates/specialize"
)

// itemAlias declares another name for the item if a variable of ours has its name.
func (p *pool) itemAlias() string {
	if p.Item.Tests.Qualifier != "" || p.Item.Tests.Name == p.Item.API.Name {
		return ""
	}
	return "\n// " + p.Item.Tests.Name + " is the item, whose name is that of a variable below.\ntype " + p.Item.Tests.Name + " = " + p.Item.API.Name + "\n"
}

// testImports imports the packages that a test file mentions.
func (p *pool) testImports(body string) string {
	var std, other []string
	used := mentioned(body)
	for _, name := range []string{"context", "fmt", "runtime", "testing", "unsafe"} {
		if used[name] {
			std = append(std, fmt.Sprintf("\t%q\n", name))
		}
	}
	if name := p.Item.Tests.Qualifier; name != "" {
		line := importLine(name, p.Spec.Item.Import)
		if strings.Contains(p.Spec.Item.Import, ".") {
			other = append(other, line)
		} else {
			std = append(std, line)
			slices.Sort(std)
		}
	}
	if used["cuda"] {
		other = append(other, importLine("cuda", lower.CUDAPath))
	}
	other = append(other, importLine("pooltest", testsPath))
	slices.SortFunc(other, func(a, b string) int {
		return strings.Compare(a[strings.IndexByte(a, '"'):], b[strings.IndexByte(b, '"'):])
	})
	return "import (\n" + strings.Join(std, "") + "\n" + strings.Join(other, "") + ")\n"
}

// ofPackage matches an exported name with a qualifier, which is a package or a value.
var ofPackage = regexp.MustCompile(`\b(\w+)\.[A-Z]`)

// mentioned returns the qualifiers in a text.
func mentioned(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range ofPackage.FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	return names
}

func importLine(name, from string) string {
	if name = specialize.LocalName(name, from); name == "" {
		return fmt.Sprintf("\t%q\n", from)
	}
	return fmt.Sprintf("\t%s %q\n", name, from)
}
