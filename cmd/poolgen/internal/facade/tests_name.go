package facade

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/templates/specialize"
)

// testBlock is the type of a block as the test file writes it.
func (p *Pool) testBlock() string {
	if !p.addressable() {
		return p.block().GoString()
	}
	return choose(p.ItemForm(), "*", "[]") + p.testItem(p.ItemType())
}

// testItem is a type, the item's or made of it, as the test file writes it, where the names of our own packages and variables are taken.
func (p *Pool) testItem(name string) string {
	at := strings.LastIndexByte(name, ']') + 1
	base, _, qualified := strings.Cut(name[at:], ".")
	switch {
	case !takenInTests[base]:
		return name
	case qualified:
		return name[:at] + "item" + name[at:]
	}
	return name[:at] + p.Prefix + "TestItem"
}

// itemAlias gives the item another name where its own is that of one of our variables.
func (p *Pool) itemAlias() string {
	base := p.ItemType()[strings.LastIndexByte(p.ItemType(), ']')+1:]
	if !takenInTests[base] {
		return ""
	}
	return "\n// $PREFIXTestItem is the item, whose name is that of a variable below.\ntype $PREFIXTestItem = " + base + "\n"
}

// takenInTests holds the names of parameters, variables and imports in test files.
var takenInTests = map[string]bool{
	"b": true, "block": true, "blocks": true, "context": true, "ctx": true, "cuda": true, "err": true, "f": true, "fmt": true, "i": true, "n": true,
	"mark": true, "pb": true, "pool": true, "pooltest": true, "runtime": true, "s": true, "t": true, "testing": true, "trial": true, "unsafe": true, "value": true,
}

// testImports imports the packages that a test file mentions.
func (p *Pool) testImports(body string) string {
	var std, other []string
	used := mentioned(body)
	for _, name := range []string{"context", "fmt", "runtime", "testing", "unsafe"} {
		if used[name] {
			std = append(std, fmt.Sprintf("\t%q\n", name))
		}
	}
	if p.Item.Qualifier != "" {
		name, _, _ := strings.Cut(p.testItem(p.Item.Qualifier+".T"), ".")
		line := importLine(name, p.Item.Import)
		if strings.Contains(p.Item.Import, ".") {
			other = append(other, line)
		} else {
			std = append(std, line)
			slices.Sort(std)
		}
	}
	if used["cuda"] {
		other = append(other, importLine("cuda", CUDAPath))
	}
	other = append(other, importLine("pooltest", TestsPath))
	slices.SortFunc(other, func(a, b string) int {
		return strings.Compare(a[strings.IndexByte(a, '"'):], b[strings.IndexByte(b, '"'):])
	})
	return "import (\n" + strings.Join(std, "") + "\n" + strings.Join(other, "") + ")\n"
}

// ofPackage matches what is exported by a package, or by a value.
var ofPackage = regexp.MustCompile(`\b(\w+)\.[A-Z]`)

// mentioned returns the names that a text has something of.
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
