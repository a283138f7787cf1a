package gates

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
	"github.com/poolgen/poolgen/tests/fatal"
)

// documented lists the lines of the comments on the declarations of a file, by the names of the declarations: functions, types,
// constants, variables and fields. Directives are not documentation.
func documented(s source, into map[string][]string) map[string]bool {
	names := map[string]bool{}
	add := func(name string, groups ...*ast.CommentGroup) {
		names[name] = true
		for _, g := range groups {
			for _, c := range list(g) {
				if !strings.HasPrefix(c.Text, "//poolgen:") && !strings.HasPrefix(c.Text, "//go:") {
					into[name] = append(into[name], c.Text)
				}
			}
		}
	}
	for _, d := range s.tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(nameOf(d), d.Doc)
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				specs(d, add)
			}
		}
	}
	return names
}

// specs calls add for each name of a declaration. The comment on a declaration of several in parentheses belongs to none of them.
func specs(d *ast.GenDecl, add func(string, ...*ast.CommentGroup)) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			doc := spec.Doc
			if !d.Lparen.IsValid() {
				doc = d.Doc
			}
			add(spec.Names[0].Name, doc, spec.Comment)
		case *ast.TypeSpec:
			doc := spec.Doc
			if !d.Lparen.IsValid() {
				doc = d.Doc
			}
			add(spec.Name.Name, doc, spec.Comment)
			if st, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range st.Fields.List {
					for _, id := range f.Names {
						add(spec.Name.Name+"."+id.Name, f.Doc, f.Comment)
					}
				}
			}
		}
	}
}

func list(g *ast.CommentGroup) []*ast.Comment {
	if g == nil {
		return nil
	}
	return g.List
}

// sentence matches a sentence of a comment, or the text between two.
var sentence = regexp.MustCompile(`(?s).+?([.!?][)"]*(\s|$)|$)`)

// conditional matches the beginning of a sentence that the specialiser keeps or removes.
var conditional = regexp.MustCompile(`^(If|Unless) \[[\w.]+\],`)

// lost returns the sentences of templates that are missing although their declarations are in the output, except conditional ones. The output
// was made without a prefix, so almost all names are those of the templates.
func lost(output source, originals []source) (faults []string) {
	has := map[string][]string{}
	kept := documented(output, has)
	for _, o := range originals {
		want := map[string][]string{}
		for name := range documented(o, want) {
			if !kept[name] {
				continue
			}
			text := words(strings.Join(has[name], "\n"))
			for i, said := range sentence.FindAllString(prose(want[name]), -1) {
				if conditional.MatchString(said) {
					continue
				}
				rest := said
				if i == 0 { // begins with the name, which may have been a small word
					_, rest, _ = strings.Cut(said, " ")
				}
				if !strings.Contains(text, words(rest)) {
					faults = append(faults, fmt.Sprintf("%s: %s has lost %q", o.name, name, said))
				}
			}
		}
	}
	return faults
}

// prose returns the text of comment lines, joined.
func prose(lines []string) string {
	var text []string
	for _, line := range lines {
		text = append(text, strings.Fields(strings.TrimPrefix(line, "//"))...)
	}
	return strings.Join(text, " ")
}

// words returns the words of a comment that renaming does not change: those without a capital, a bracket or a dot inside.
func words(text string) string {
	var kept []string
	for _, w := range strings.Fields(text) {
		w = strings.TrimRight(w, ".,:;")
		if w != "//" && strings.ToLower(w) == w && !strings.ContainsAny(w, ".[]*") {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// TestCommentsSurviveSpecialisation specialises each shell over each suballocator, under its own names, and looks for every comment.
func TestCommentsSurviveSpecialisation(t *testing.T) {
	lib := templates.Library()
	at := func(pkg string) string { return templates.Path + "/" + pkg }
	behind := map[string]string{"item": "fixed", "span": "heap"} // which they are written with
	for _, s := range spec.Suballocators() {
		info := s.Info()
		shell, core := "span", info.Template
		if info.OneSize {
			shell = "item"
		}
		t.Run(string(s), func(t *testing.T) {
			for _, locked := range []string{"true", "false"} {
				inst := specialize.Instance{
					Root: at(shell), Replace: map[string]string{}, Prefix: "x",
					Bind:  map[string]string{"feature.Locked": locked, "feature.Trims": locked},
					Names: map[string]string{shell + ".Pool": "XPool"},
				}
				if core != behind[shell] {
					inst.Replace[at(behind[shell])] = at(core)
				}
				if info.Order == spec.AllAtOnce {
					inst.Bind["span.frees"] = "false"
				}
				if info.Marks {
					inst.Names[core+".Mark"] = "XMark"
				}
				r, err := specialize.Specialize(lib, inst)
				fatal.If(t, err)
				output := parse(t, core+".go", r.File("// Code generated.", "out"))
				for _, fault := range lostOf(t, output, lib, shell, core) {
					t.Errorf("%s over %s: %s", shell, core, fault)
				}
			}
		})
	}
}

// lostOf compares an output with the packages that it is made of, whose declarations have other names in the output.
func lostOf(t *testing.T, output source, lib specialize.Library, packages ...string) (faults []string) {
	for _, pkg := range packages {
		var files []source
		for name, text := range lib[templates.Path+"/"+pkg] {
			files = append(files, parse(t, path.Join(pkg, name), []byte(text)))
		}
		faults = append(faults, lost(output, renamed(files, pkg))...)
	}
	return faults
}

// renamed gives the declarations of a template the names that they have in the output.
func renamed(files []source, pkg string) []source {
	names := map[string]string{}
	for _, s := range files {
		for _, d := range s.tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok == token.IMPORT {
				continue
			}
			specs(g, func(name string, _ ...*ast.CommentGroup) {
				if !strings.Contains(name, ".") {
					names[name] = "x" + strings.ToUpper(name[:1]) + name[1:]
				}
			})
		}
	}
	names["Core"] = "x" + strings.ToUpper(pkg[:1]) + pkg[1:]
	names["Pool"], names["Mark"] = "XPool", "XMark"
	for _, s := range files {
		for _, d := range s.tree.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && names[id.Name] != "" {
					id.Name = names[id.Name]
				}
				return true
			})
		}
	}
	return files
}

// TestLostCommentIsFound plants a lost line, on a function, a field and a constant.
func TestLostCommentIsFound(t *testing.T) {
	const original = "package p\n\n// F does one thing\n// after the other. If [c], it does not. Unless [c],\n// it does.\nfunc F() {}\n\n// T has\n// fields.\ntype T struct {\n\t// n counts them\n\t// all.\n\tn int\n}\n\nconst (\n\t// c is the first\n\t// of two.\n\tc = 1\n\n\t// d is gone.\n\td = 2\n)\n"
	without := func(text string, lines ...string) string {
		for _, l := range lines {
			text = strings.Replace(text, l, "", 1)
		}
		return text
	}
	kept := without(original, " If [c], it does not. Unless [c],\n// it does.", "\n\t// d is gone.\n\td = 2\n")
	o := parse(t, "original.go", []byte(original))
	if faults := lost(parse(t, "out.go", []byte(kept)), []source{o}); len(faults) > 0 {
		t.Errorf("nothing was lost: %v", faults)
	}
	for _, line := range []string{"// after the other.\n", "// fields.\n", "\t// all.\n", "\t// of two.\n"} {
		faults := lost(parse(t, "out.go", []byte(without(kept, line))), []source{o})
		if len(faults) != 1 || !strings.Contains(faults[0], strings.TrimPrefix(strings.TrimSpace(line), "// ")) {
			t.Errorf("%q is lost: found %v", line, faults)
		}
	}
}
