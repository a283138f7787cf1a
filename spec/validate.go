package spec

import (
	"fmt"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// Validate checks a document and resolves it. It returns a plan with every default filled in or, if
// anything is wrong, nil and all findings in the order of the file. env describes what the output
// directory holds already; its zero value stands for an empty directory without a name.
func (d *Document) Validate(env Env) (*Plan, Diagnostics) {
	f := &checker{
		reader:  reader{src: d.src, found: new([]*Diagnostic)},
		env:     env,
		root:    d.root,
		plan:    &Plan{File: d.src.file, Output: "."},
		imports: make(map[string]*importEntry),
		budgets: make(map[string]*budgetEntry),
		unread:  make(map[string]bool),
	}
	for _, known := range d.found {
		finding := *known
		*f.found = append(*f.found, &finding)
	}
	f.checkFile()
	if found := inOrder(*f.found); len(found) > 0 {
		return nil, found
	}
	return f.plan, nil
}

// checker validates one file.
type checker struct {
	reader
	env     Env
	root    *node
	plan    *Plan
	imports map[string]*importEntry
	budgets map[string]*budgetEntry
	shared  map[string]*node // values of defaults, by key
	pools   []*poolCheck
	unread  map[string]bool // keys of the file whose value could not be read in full, and may contain what seems to be missing
}

// checkFile checks the file from the top. Imports and budgets come before pools, which refer to them; otherwise the order does not matter.
func (f *checker) checkFile() {
	values, ok := f.block(f.root, FileSection, "the file")
	if !ok {
		return
	}
	f.checkVersion(values["version"])
	f.checkPackage(values["package"])
	f.checkOutput(values["output"])
	f.checkBuildTags(values["build_tags"])
	f.checkImports(values["imports"])
	f.checkBudgets(values["budgets"])
	f.checkDefaults(values["defaults"])
	f.checkPools(values["pools"])
	f.checkNames()
	f.checkExports()
	f.checkLenders()
	f.checkBudgetSums()
	f.checkImportsUsed()
	for _, c := range f.pools {
		f.plan.Pools = append(f.plan.Pools, *c.p)
	}
	f.checkGroup()
}

func (f *checker) checkVersion(n *node) {
	if n == nil {
		f.fail(codeMissing, f.root, "begin the file with version: 1", "the file has no version")
		return
	}
	text, ok := f.scalar(n, "version")
	help := "write version: 1"
	if number, err := strconv.Atoi(text); err == nil && number > 1 {
		help = "write version: 1, or use a later poolgen"
	}
	switch {
	case ok && text == "1" && !n.plain:
		f.fail(codeVersion, n, "write version: 1, without quotes", "version is a number, and 1 in quotes is text")
	case ok && text != "1":
		f.fail(codeVersion, n, help, "version %s is not known to this poolgen, which reads version 1", quote(text))
	}
}

// checkPackage resolves the package of the output.
func (f *checker) checkPackage(n *node) {
	if n == nil {
		f.plan.Package = f.env.Package
		if dir := packageOfDir(f.env.Dir); f.plan.Package == "" {
			f.plan.Package = dir
		}
		if f.plan.Package == "" && f.env.Dir != "" {
			f.fail(codeMissing, f.root, "add package: pools, or another name", "the file has no package, and the name of its directory, %s, cannot be one", quote(f.env.Dir))
		}
		return
	}
	name, ok := f.scalar(n, "package")
	switch {
	case !ok:
	case token.IsKeyword(name):
		f.fail(codePackage, n, "use another name, as in "+name+"pools", "package %s is a keyword of Go", quote(name))
	case !isIdentifier(name):
		help := "use lower-case letters and digits: scene"
		if proposal := packageOfDir(path.Base(name)); proposal != "" {
			help = "write package: " + proposal
		}
		f.fail(codePackage, n, help, "package %s is not a Go package name", quote(name))
	case name == ignoredPackage:
		f.fail(codePackage, n, "use another name, as in docs", "package %s is ignored by the go command", quote(name))
	case strings.HasSuffix(name, "_test"):
		f.fail(codePackage, n, "use "+strings.TrimSuffix(name, "_test"), "package %s would hold tests only", quote(name))
	case f.env.Package != "" && f.env.Package != name:
		d := f.fail(codePackageDiffers, n, "write package: "+f.env.Package+", or leave it out", "package %s is not the one already in the directory, %s", quote(name), f.env.Package)
		d.Notes = append(d.Notes, Note{Message: "declared here: " + f.env.PackageAt})
	default:
		f.plan.Package = name
	}
}

// ignoredPackage is the package of Go files that the go command ignores.
const ignoredPackage = "documentation"

// packageOfDir turns the name of a directory into a package name; "" if that is not possible. A package main needs more than its name.
func packageOfDir(dir string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(dir) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' && b.Len() > 0 {
			b.WriteRune(r)
		}
	}
	if name := b.String(); isIdentifier(name) && name != ignoredPackage && name != "main" {
		return name
	}
	return ""
}

// checkOutput keeps generated files inside the directory of the pool file, and so inside its module, where the go command can build them.
func (f *checker) checkOutput(n *node) {
	if n != nil {
		text, ok := f.scalar(n, "output")
		if !ok || !f.checkOutputText(n, text) {
			return
		}
		f.plan.Output = path.Clean(text)
	}
	if f.env.ImportPath == "" {
		return
	}
	if name, why := firstBad(f.env.ImportPath, badDirectory); why != "" {
		f.fail(codeOutput, f.root, "rename the directory", "the output would be in package %s, which the go command cannot build: %s %s", quote(f.env.ImportPath), quote(name), why)
	}
}

// checkOutputText refuses an output that is not a directory below the pool file, or that no package can be in.
func (f *checker) checkOutputText(n *node, text string) bool {
	clean := path.Clean(text)
	bad, why := firstBad(text, func(name string) string {
		if name == "" || name == "." || name == ".." {
			return ""
		}
		return badDirectory(name)
	})
	switch {
	case text == "":
		f.fail(codeOutput, n, "write output: . for the directory of the pool file", "output is empty")
	case strings.Contains(text, "\\") && len(text) > 1 && text[1] != ':':
		f.fail(codeOutput, n, "write output: "+strings.ReplaceAll(text, "\\", "/"), "output %s has backslashes between its directories", quote(text))
	case strings.HasSuffix(text, ".go"):
		f.fail(codeOutput, n, "write the directory, output: "+path.Dir(clean), "output %s has the name of a Go file, and is a directory: each pool gets files of its own in it", quote(text))
	case path.IsAbs(text) || len(text) > 1 && text[1] == ':':
		f.fail(codeOutput, n, "write a directory below that of the pool file: ./"+dirName(clean), "output %s is not relative", quote(text))
	case clean == ".." || strings.HasPrefix(clean, "../"):
		f.fail(codeOutput, n, "move the pool file there, or write a directory below it: ./"+dirName(clean), "output %s leads out of the directory of the pool file", quote(text))
	case why != "":
		f.fail(codeOutput, n, pathHelp(clean), "output %s is a package that the go command cannot build: %s %s", quote(text), quote(bad), why)
	default:
		return true
	}
	return false
}

// dirName returns the last part of a path, if it is a name.
func dirName(clean string) string {
	if base := path.Base(clean); base != "." && base != ".." && base != "/" && !strings.Contains(base, ":") {
		return base
	}
	return "scene"
}

// checkDefaults reads each value of defaults once: a malformed value is reported even if no pool uses it.
func (f *checker) checkDefaults(n *node) {
	if n == nil || n.kind == mapNode && len(n.pairs) == 0 {
		return
	}
	r := f.reader
	r.who = "defaults: "
	values, ok := r.block(n, PoolSection, "defaults")
	if !ok {
		return
	}
	if name := values["name"]; name != nil {
		r.fail(codeNotApplicable, name, "remove it", "name is different for every pool")
		delete(values, "name")
	}
	f.shared = values
	f.newPoolCheck(n, r.who).readForm(values)
}

// checkPools resolves the pools one by one; rules about several pools are checked afterwards.
func (f *checker) checkPools(n *node) {
	if n == nil {
		f.fail(codeMissing, f.root, "add pools: [{name: Vertex, item: float32}]", "the file has no pools")
		return
	}
	switch {
	case n.null:
		f.fail(codeKind, n, "add an entry below it: - name: Vertex", "pools has no value")
		return
	case n.kind == listNode && len(n.items) == 0:
		f.fail(codeMissing, n, "add an entry: - name: Vertex", "the list of pools is empty")
		return
	}
	items, _ := f.list(n, "pools", "[{name: Vertex, item: float32}]")
	for i, item := range items {
		c := f.newPoolCheck(item, poolPrefix(i, item))
		if len(*f.found) > 10*maxFindings {
			return // this is not a pool file; the rest would only take time
		}
		values, ok := c.block(item, PoolSection, "a pool")
		if !ok {
			continue
		}
		f.pools = append(f.pools, c)
		c.checkName(values["name"])
		c.resolve(values, f.shared)
	}
}

// poolPrefix begins the messages about a pool: with its name, if it has one, else with its place in the list.
func poolPrefix(i int, item *node) string {
	for _, p := range item.pairs {
		if p.key.value == "name" && p.value.kind == scalarNode && isIdentifier(p.value.value) {
			return "pool " + quote(p.value.value) + ": "
		}
	}
	return fmt.Sprintf("pool %d of the list: ", i+1)
}
