package layout_test

import (
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize/layout"
)

// names finds the identifiers of a text, and the words of its comments that are spelled like one of them.
func names(text string) []layout.Span {
	var spans []layout.Span
	known := map[string]bool{}
	tokens(text, func(tok token.Token, from int, lit string) {
		if tok == token.IDENT {
			known[lit] = true
		}
	})
	tokens(text, func(tok token.Token, from int, lit string) {
		switch tok {
		case token.IDENT:
			spans = append(spans, layout.Span{From: from, To: from + len(lit)})
		case token.COMMENT:
			for i := 2; i < len(lit); i++ {
				j := i
				for j < len(lit) && (lit[j] == '_' || lit[j] >= '0' && lit[j] <= '9' || lit[j]|32 >= 'a' && lit[j]|32 <= 'z') {
					j++
				}
				if known[lit[i:j]] {
					spans = append(spans, layout.Span{From: from + i, To: from + j})
				}
				i = max(i, j)
			}
		}
	})
	return spans
}

func tokens(text string, f func(tok token.Token, from int, lit string)) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		f(tok, file.Offset(pos), lit)
	}
}

// rename gives names to the places: the same to the same.
func rename(text string, spans []layout.Span, name func(old string) string) (string, []layout.Span) {
	var b strings.Builder
	var out []layout.Span
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.From])
		from := b.Len()
		b.WriteString(name(text[s.From:s.To]))
		out = append(out, layout.Span{From: from, To: b.Len()})
		at = s.To
	}
	b.WriteString(text[at:])
	return b.String(), out
}

// gofmt is what the package stands in for.
func gofmt(text string) (string, error) {
	out, err := format.Source([]byte("package p\n\n" + strings.TrimSpace(text) + "\n"))
	return strings.TrimPrefix(strings.TrimPrefix(string(out), "package p\n"), "\n"), err
}

// namings are ways to lengthen and shorten names.
func namings(r *rand.Rand) []func(string) string {
	repeat := func(n int) func(string) string {
		return func(old string) string { return old + strings.Repeat("x", n) }
	}
	random := map[string]string{}
	return []func(string) string{
		repeat(0), repeat(1), repeat(9), repeat(30), repeat(90), repeat(3),
		func(old string) string { return old + strings.Repeat("y", len(old)*7%23) },
		func(old string) string {
			if random[old] == "" {
				random[old] = fmt.Sprintf("%s%0*d", old, r.IntN(40)+6, len(random))
			}
			return random[old]
		},
	}
}

// checkSame formats a text under different names with one Formatter, and wants what gofmt makes of it.
func checkSame(t *testing.T, what, text string, r *rand.Rand) {
	t.Helper()
	var f layout.Formatter
	spans := some(r, text, names(text))
	ways := namings(r)
	for _, i := range append(r.Perm(len(ways)), r.Perm(len(ways))...) {
		src, at := rename(text, spans, ways[i])
		want, err := gofmt(src)
		got, gotErr := f.Format(strings.TrimSpace(src), shift(at, len(src)-len(strings.TrimLeft(src, " \t\n\r\v\f\u0085\u00a0"))))
		if (err != nil) != (gotErr != nil) {
			t.Fatalf("%s: error %v, gofmt says %v, in\n%s", what, gotErr, err, src)
		}
		if err == nil && got != want {
			t.Fatalf("%s, naming %d: got\n%s\nwant\n%s", what, i, got, want)
		}
	}
}

// some leaves out the places of a few names, which then stay as they are.
func some(r *rand.Rand, text string, spans []layout.Span) []layout.Span {
	share, kept := r.IntN(5), map[string]bool{}
	var list []layout.Span
	for _, s := range spans {
		name := text[s.From:s.To]
		if _, known := kept[name]; !known {
			kept[name] = r.IntN(5) <= share
		}
		if kept[name] {
			list = append(list, s)
		}
	}
	return list
}

func shift(spans []layout.Span, n int) []layout.Span {
	for i := range spans {
		spans[i].From -= n
		spans[i].To -= n
	}
	return spans
}

// TestTemplates wants the shortcut to be gofmt on the declarations of every template file, whatever its names.
func TestTemplates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for pkg, files := range templates.Library() {
		for name, text := range files {
			if i := strings.LastIndex(text, "\nimport "); i >= 0 {
				end := strings.Index(text[i:], "\n\n")
				text = text[i+end:]
			} else {
				text = text[strings.Index(text, "\npackage ")+1:]
				text = text[strings.IndexByte(text, '\n'):]
			}
			for range 5 {
				checkSame(t, pkg+"/"+name, text, r)
			}
		}
	}
}

// TestCases does the same with what gofmt has rules for.
func TestCases(t *testing.T) {
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(50) {
				checkSame(t, name, text, rand.New(rand.NewPCG(seed, 3)))
			}
		})
	}
}

// FuzzFormat does it with anything.
func FuzzFormat(f *testing.F) {
	for _, text := range cases {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if strings.Contains(text, "import") {
			t.Skip() // format.Source sorts imports, which are no business of this package
		}
		checkSame(t, "fuzz", text, rand.New(rand.NewPCG(seed, 4)))
	})
}
