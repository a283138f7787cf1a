package spec

import (
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds names in bytes: file systems limit the names of generated files.
const maxName = 80

// FileStem returns the beginning of the names of a pool's generated files: the pool's name in snake
// case (VertexBuffer: vertex_buffer, URLTable: url_table).
func FileStem(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '_' {
			wordEnds := !unicode.IsUpper(runes[i-1])
			wordBegins := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if wordEnds || wordBegins {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// readName reads the name of a pool or budget; "" if it is missing or cannot be used.
func (r *reader) readName(n, item *node, what string) string {
	if n == nil {
		r.fail(codeMissing, item, "add name: Vertex", "a %s needs a name", what)
		return ""
	}
	name, ok := r.scalar(n, "name")
	help, proposal := "use letters and digits, and begin with a letter: Vertex", exportedForm(name)
	if proposal != "" {
		help = "write " + proposal
	}
	switch {
	case !ok:
		return ""
	case !token.IsIdentifier(name):
		r.fail(codeName, n, help, "name %s is not a Go identifier", quote(name))
		return ""
	case !token.IsExported(name) && strings.Contains(name, "_"):
		if first, size := utf8.DecodeRuneInString(proposal); size > 0 {
			help += ", or " + string(unicode.ToLower(first)) + proposal[size:] + " for a " + what + " that is not exported"
		}
		r.fail(codeName, n, help, "name %s has an underscore", quote(name))
		return ""
	case len(name) > maxName:
		r.fail(codeName, n, "use a shorter name", "name %s is longer than %d bytes", quote(name), maxName)
		return ""
	}
	return name
}

// exportedForm makes a name in Go's style of the words and digits in a text; "" if that is not possible.
func exportedForm(text string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		first, size := utf8.DecodeRuneInString(word)
		b.WriteRune(unicode.ToUpper(first))
		b.WriteString(word[size:])
	}
	if name := b.String(); token.IsExported(name) && token.IsIdentifier(name) && len(name) <= maxName {
		return name
	}
	return ""
}

// checkName reads the name of the pool.
func (c *poolCheck) checkName(n *node) {
	name := c.readName(n, c.item, "pool")
	if found := *c.found; n == nil && len(c.file.pools) > 1 {
		found[len(found)-1].Help += "; or, if this belongs to the pool above, remove the dash"
	}
	if n != nil {
		c.nameNode = n
	}
	c.p.Pos = c.nameNode.pos
	if name != "" {
		c.p.Name = name
	}
}

// checkNames refuses pools whose generated names or files would collide with each other, or with what
// the output directory declares already.
func (f *checker) checkNames() {
	byName, byFile, owner := map[string]*poolCheck{}, map[string]*poolCheck{}, map[string]*poolCheck{}
	for _, c := range f.pools {
		name := c.p.Name
		if name == "" {
			continue
		}
		stem := strings.ToLower(FileStem(name))
		switch {
		case byName[name] != nil:
			c.collides(byName[name], "another pool has the same name")
			continue
		case byFile[stem] != nil:
			c.collides(byFile[stem], "its files would have the same names as those of pool "+quote(byFile[stem].p.Name)+" ("+stem+"_pool.go)")
			continue
		}
		byName[name], byFile[stem] = c, c
		names := Names(c.p)
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				c.fail(codeCollision, c.nameNode, "use another name", "it would declare %s twice", name)
			}
		}
		c.claimNames(owner)
		c.checkDeclared()
	}
}

// claimNames claims every name that the pool could have with any settings: a changed setting of one pool must not break another. FreeFooView is claimed only by
// pools that have it: files of earlier versions may have pools Foo and FooView.
func (c *poolCheck) claimNames(owner map[string]*poolCheck) {
	told := make(map[*poolCheck]bool)
	for name, has := range apiNames(c.p) {
		if name == NameOf("Free", c.p.Name, "View") && !has {
			continue
		}
		if other := owner[name]; other != nil && other != c {
			if !told[other] {
				c.collides(other, "it collides with pool "+quote(other.p.Name)+": both would generate "+name)
				told[other] = true
			}
			continue
		}
		owner[name] = c
	}
}

func (c *poolCheck) collides(other *poolCheck, message string) {
	d := c.fail(codeCollision, c.nameNode, "give one of the two another name", "%s", message)
	c.noteAt(d, other.nameNode, "the other pool")
}

// checkDeclared looks for hand-written declarations and imports with the names that the pool generates.
func (c *poolCheck) checkDeclared() {
	var names, places []string
	for _, name := range Names(c.p) {
		if at := c.file.env.Decls[name]; at != "" {
			names, places = append(names, name), append(places, at)
		}
		if imp := c.file.imports[name]; imp != nil {
			d := c.fail(codeCollision, c.nameNode, "rename the qualifier, or the pool", "%s would be generated, and it is the name of an import", name)
			c.noteAt(d, imp.key, "imported here")
			return
		}
	}
	if len(names) == 0 {
		return
	}
	them := "it"
	if len(names) > 1 {
		them = "them"
	}
	d := c.fail(codeDeclared, c.nameNode, declaredHelp(c.p.Name, places), "%s would be generated, and the output directory declares %s already", enumerate(names, "and"), them)
	for i, at := range places {
		d.Notes = append(d.Notes, Note{Message: names[i] + " is declared here: " + at})
	}
}

// declaredHelp says what to do about declarations at those places. If all are in files with names of the pool's own files, poolgen may have written
// them.
func declaredHelp(pool string, places []string) string {
	stem := FileStem(pool)
	var files []string
	for _, at := range places {
		file, _, _ := strings.Cut(at, ":")
		switch base := path.Base(file); {
		case !slices.Contains([]string{stem + "_pool.go", stem + "_shell.go", stem + "_adapters.go", stem + "_poolgen_test.go"}, base):
			return "rename the declaration, or the pool"
		case !slices.Contains(files, file):
			files = append(files, file)
		}
	}
	return "poolgen may have written " + enumerate(files, "and") +
		" but not from this pool file, as the first line says: remove what is left over, or rename the pool"
}
