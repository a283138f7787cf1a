package specialize

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
	"unicode"
)

// word is a place in a comment that mentions a declaration.
type word struct {
	from, to int
	obj      types.Object
	link     bool // it begins a doc link
	bare     bool // it is all of a doc link
}

// findWords finds the words of a file's comments to rename. Prose also uses names of declarations as
// ordinary words, so only these places count: the first word of a declaration's own comment, [links],
// names with their package (heap.Core), and words with an upper-case letter inside.
func (p *program) findWords(u *unit, s *source) []word {
	var words []word
	docs := docOwners(s)
	for _, g := range s.tree.Comments {
		first := docs[g]
		for _, c := range g.List {
			if at := s.offset(c.Pos()); at >= s.body && !strings.HasPrefix(c.Text, directivePrefix) {
				words = p.findIn(words, u, s, c.Text, at, first)
				first = nil
			}
		}
	}
	return words
}

// renameComments renames declarations where comments mention them.
func (p *program) renameComments(s *source) {
	for _, w := range p.words[s] {
		p.renameWord(s, w)
	}
}

// packageOf returns the linked package that a comment calls name: by its name in the file's imports, or by its own.
func (p *program) packageOf(u *unit, s *source, name string) *unit {
	for _, spec := range s.tree.Imports {
		if spec.Name != nil && spec.Name.Name == name {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && u.deps[path] != nil {
				return u.deps[path]
			}
		}
	}
	return p.byName[name]
}

// docOwners maps doc comments to the names they document.
func docOwners(s *source) map[*ast.CommentGroup][]*ast.Ident {
	docs := map[*ast.CommentGroup][]*ast.Ident{}
	for _, n := range s.tree.Decls {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil {
				docs[n.Doc] = []*ast.Ident{n.Name}
			}
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				doc, names := n.Doc, []*ast.Ident(nil)
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					names = spec.Names
					if n.Lparen.IsValid() {
						doc = spec.Doc
					}
				case *ast.TypeSpec:
					names = []*ast.Ident{spec.Name}
					if n.Lparen.IsValid() {
						doc = spec.Doc
					}
				}
				docs[doc] = names
			}
		}
	}
	delete(docs, nil)
	return docs
}

// findIn finds the words of one comment, which starts at offset at. first are the names that its first
// word may be.
func (p *program) findIn(found []word, u *unit, s *source, text string, at int, first []*ast.Ident) []word {
	words := 0
	for i := 2; i < len(text); {
		if !isLetter(text[i]) {
			i++
			continue
		}
		end := wordEnd(text, i)
		w, next := text[i:end], end
		obj, link := types.Object(nil), linked(text, i, end)
		if other := p.packageOf(u, s, w); other != nil && end+1 < len(text) && text[end] == '.' && isLetter(text[end+1]) {
			to := wordEnd(text, end+1)
			if o := other.types.Scope().Lookup(text[end+1 : to]); o != nil && !dotted(text, i) {
				obj, next, link = o, to, linked(text, i, to)
			}
		} else if !dotted(text, i) && text[i-1] != '/' && (link || mixed(w) || words == 0 && declaresWord(first, w)) {
			obj = u.types.Scope().Lookup(w)
		}
		if words > 0 || !isArticle(w) {
			words++
		}
		if obj != nil {
			bare := next < len(text) && text[next] == ']' && text[i-1] == '['
			found = append(found, word{at + i, at + next, obj, link, bare})
		}
		i = next
	}
	return found
}

// renameWord makes the edit for a word if it names an object that has another name in the output.
func (p *program) renameWord(s *source, w word) {
	if name := p.names[w.obj]; name != "" {
		if name != s.text[w.from:w.to] {
			p.replace(s, w.from, w.to, name)
		}
		return
	}
	d := p.decls[w.obj]
	if d == nil || !d.isAlias() || !p.live[d] || !w.link {
		return
	}
	alias, err := p.aliasText(w.obj)
	if err != nil || !w.bare {
		return
	}
	if strings.Trim(alias, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == "" {
		p.replace(s, w.from, w.to, alias)
	} else {
		p.replace(s, w.from-1, w.to+1, alias)
	}
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func wordEnd(text string, i int) int {
	for i < len(text) && (isLetter(text[i]) || '0' <= text[i] && text[i] <= '9') {
		i++
	}
	return i
}

// linked reports whether text[i:j] begins a doc link: [name], [*name] or [name.more].
func linked(text string, i, j int) bool {
	if i > 0 && text[i-1] == '*' {
		i--
	}
	if i == 0 || text[i-1] != '[' || i > 1 && isLetter(text[i-2]) {
		return false
	}
	for j < len(text) && text[j] == '.' {
		j = wordEnd(text, j+1)
	}
	return j < len(text) && text[j] == ']'
}

// dotted reports whether the word at i is a field or method of something.
func dotted(text string, i int) bool { return i > 1 && text[i-1] == '.' && isLetter(text[i-2]) }

// mixed reports whether a word has an upper-case letter inside.
func mixed(word string) bool { return strings.IndexFunc(word[1:], unicode.IsUpper) >= 0 }

func isArticle(word string) bool { return word == "A" || word == "An" || word == "The" }

func declaresWord(names []*ast.Ident, word string) bool {
	for _, id := range names {
		if id.Name == word {
			return true
		}
	}
	return false
}
