package spec

import (
	"go/token"
	"path"
	"strings"
)

// importEntry is an import while it is checked.
type importEntry struct {
	path   string
	used   bool
	broken bool  // it has another mistake
	key    *node // the qualifier
	at     *node // the path
}

// reserved are the qualifiers that generated files use themselves, with the path of each.
var reserved = map[string]string{
	"atomic": "sync/atomic", "bits": "math/bits", "context": "context", "cuda": "github.com/poolgen/poolgen/cuda",
	"errors": "errors", "os": "os", "poolrt": "github.com/poolgen/poolgen/runtime",
	"runtime": "github.com/poolgen/poolgen/runtime", "sync": "sync", "unsafe": "unsafe",
}

// checkImports reads the packages that items may name.
func (f *checker) checkImports(n *node) {
	if n == nil || n.kind == aliasNode {
		return
	}
	if n.null || n.kind != mapNode {
		f.unread["imports"] = true
		f.fail(codeKind, n, importsHelp(n), "imports is a block of qualifiers and paths")
		return
	}
	byPath := make(map[string]*importEntry)
	for _, p := range n.pairs {
		if p.key.kind != scalarNode || p.key.plain && !p.key.text || f.imports[p.key.value] != nil {
			continue // reported when the file was read
		}
		e := &importEntry{key: p.key, at: p.value}
		text, ok := f.scalar(p.value, "the path of "+quote(p.key.value))
		if !ok {
			f.unread["imports"] = true
			continue
		}
		before := len(*f.found)
		f.checkQualifier(e, text)
		if why := badImportPath(text); why != "" {
			f.fail(codeImport, p.value, f.importPathHelp(text), "import path %s %s", quote(text), why)
		} else if text == f.env.ImportPath {
			f.fail(codeImport, p.value, "remove it, and name the types of the package without a qualifier", "import path %s is that of the output itself", quote(text))
		} else if first := byPath[text]; first != nil {
			d := f.fail(codeImport, p.value, "remove one, and write items with the other qualifier", "the path %s is imported twice", quote(text))
			f.noteAt(d, first.at, "first imported here")
		} else {
			byPath[text] = e
		}
		e.path, e.broken = text, len(*f.found) > before
		f.imports[p.key.value] = e
		f.plan.Imports = append(f.plan.Imports, Import{Qualifier: p.key.value, Path: text, Pos: p.key.pos})
	}
}

// checkQualifier checks the name of an import, which the output has to use.
func (f *checker) checkQualifier(e *importEntry, importPath string) {
	name := e.key.value
	switch {
	case token.IsKeyword(name):
		f.fail(codeImport, e.key, "use another name for the package: "+name+"2", "qualifier %s is a keyword of Go", quote(name))
	case !isIdentifier(name):
		help := "use letters and digits: mesh"
		if proposal := packageOfDir(name); proposal != "" {
			help = "use letters and digits, here and in items: " + proposal
		}
		f.fail(codeImport, e.key, help, "qualifier %s is not a Go identifier", quote(name))
	case ownedByGo(name):
		f.fail(codeImport, e.key, "use another name for the package: "+name+"2", "qualifier %s has a meaning in Go already", quote(name))
	case reserved[name] != "" && reserved[name] != importPath:
		f.fail(codeImport, e.key, "use another name for the package: "+name+"2", "qualifier %s is taken by generated code", quote(name))
	case f.env.Decls[name] != "":
		d := f.fail(codeDeclared, e.key, "use another name for the package", "qualifier %s is declared in the output directory already", quote(name))
		d.Notes = append(d.Notes, Note{Message: "declared here: " + f.env.Decls[name]})
	}
}

// badImportPath says what is wrong with an import path; "" for a legal one.
func badImportPath(text string) string {
	for _, r := range text {
		if !pathRune(r) && r != '/' && r != '@' {
			return "holds the character " + quote(string(r))
		}
	}
	switch {
	case text == "":
		return "is empty"
	case path.IsAbs(text):
		return "is absolute"
	case text == "." || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../"):
		return "is relative"
	case strings.HasSuffix(text, "/"):
		return "ends with a slash"
	case strings.Contains(text, "@"):
		return "has a version, which belongs into go.mod"
	case path.Clean(text) != text || strings.Contains(text, ".."):
		return "is not in its shortest form"
	case text == "C" || text == "unsafe":
		return "names no package that items could come from"
	case text[0] == '-':
		return "begins with a dash"
	}
	if name, why := firstBad(text, badElement); why != "" {
		return "is refused by the go command: " + quote(name) + " " + why
	}
	return ""
}

// importPathHelp corrects an import path as far as possible.
func (f *checker) importPathHelp(text string) string {
	if strings.HasPrefix(text, ".") && f.env.ImportPath != "" && f.plan.Output == "." {
		if absolute := path.Join(f.env.ImportPath, text); badImportPath(absolute) == "" {
			return "write " + absolute
		}
	}
	fixed := strings.ReplaceAll(text, "\\", "/")
	if _, rest, is := strings.Cut(fixed, "://"); is {
		fixed = strings.TrimSuffix(rest, ".git")
	}
	fixed, _, _ = strings.Cut(fixed, "@")
	fixed = path.Clean(fixed)
	if fixed != text && badImportPath(fixed) == "" && strings.Contains(fixed, ".") {
		return "write " + fixed
	}
	return "write the path that Go files import, which begins with that of its module: example.com/app/" + dirName(path.Clean(fixed))
}

// importsHelp tells how to write imports that are not a block.
func importsHelp(n *node) string {
	if n.kind == listNode && len(n.items) > 0 && n.items[0].kind == scalarNode {
		if text := n.items[0].value; isIdentifier(path.Base(text)) {
			return "put a qualifier in the place of each dash: " + path.Base(text) + ": " + text
		}
	}
	return "write imports: {mesh: example.com/app/mesh}"
}

// brokenQualifier reports whether an item names an import whose qualifier is wrong.
func (f *checker) brokenQualifier(item string) bool {
	qualifier, _, _ := strings.Cut(item, ".")
	e := f.imports[qualifier]
	if e != nil && e.broken {
		e.used = true
	}
	return e != nil && e.broken
}

// checkImportsUsed reports imports that no item names: the output would not compile with unused imports.
func (f *checker) checkImportsUsed() {
	for _, imp := range f.plan.Imports {
		e := f.imports[imp.Qualifier]
		if e.used || e.broken || e.named(f) {
			continue
		}
		f.fail(codeUnusedImport, e.key, "remove it, or name one of its types: item: "+imp.Qualifier+".T", "import %s is not used by any pool", quote(imp.Qualifier))
	}
}

// named reports whether some item names the import, although it could not be resolved.
func (e *importEntry) named(f *checker) bool {
	prefix := e.key.value + "."
	mentions := func(n *node) bool { return n != nil && n.kind == scalarNode && strings.Contains(n.value, prefix) }
	if mentions(f.shared["item"]) {
		return true
	}
	for _, c := range f.pools {
		if mentions(c.nodes["item"]) {
			return true
		}
	}
	return false
}
