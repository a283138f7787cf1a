package facade

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/templates/specialize/layout"
)

// render writes the file out as gofmt would. jennifer leaves that to formatter, which has seen most of it in other pools.
func (p *Pool) render(f *jen.File, formatter *layout.Formatter) ([]byte, error) {
	f.NoFormat = true
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return nil, err
	}
	head, body := cutImports(b.String())
	top, err := format.Source([]byte(head))
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, head)
	}
	text, err := formatter.Format(body, p.names(body))
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, body)
	}
	return slices.Concat(groupImports(top), []byte("\n"), []byte(text)), nil
}

// cutImports takes package clause and imports off a file whose declarations begin with a blank line and a comment.
func cutImports(text string) (head, body string) {
	clause := strings.Index(text, "\npackage ") + 1
	at := strings.Index(text[clause:], "\n\n//")
	if at < 0 {
		return text, ""
	}
	at += clause + 1
	return text[:at], strings.TrimSpace(text[at:])
}

// names finds the words of a text that are made of the pool's name, and the item's type: other pools have others there.
func (p *Pool) names(text string) []layout.Span {
	item := p.ItemType()
	if q := p.Item.Qualifier; q != "" {
		item = item[strings.Index(item, q+"."):]
	}
	var spans []layout.Span
	for at := 0; at < len(text); {
		end := wordEnd(text, at)
		switch {
		case item != "" && strings.HasPrefix(text[at:], item) && wordEnd(text, at+len(item)) == at+len(item):
			end = at + len(item)
		case end == at:
			at++
			continue
		case !strings.Contains(text[at:end], p.Name) && !strings.HasPrefix(text[at:end], p.Prefix):
			at = end
			continue
		}
		spans = append(spans, layout.Span{From: at, To: end})
		at = end
	}
	return spans
}

func wordEnd(text string, at int) int {
	for at < len(text) {
		c := text[at]
		if c != '_' && c < 0x80 && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		at++
	}
	return at
}

// groupImports sets the standard library apart from other packages, which jennifer does not.
func groupImports(text []byte) []byte {
	head, rest, found := bytes.Cut(text, []byte("import (\n"))
	block, rest, closed := bytes.Cut(rest, []byte("\n)\n"))
	if !found || !closed {
		return text
	}
	var std, other [][]byte
	for line := range bytes.SplitSeq(block, []byte("\n")) {
		if bytes.ContainsRune(line, '.') {
			other = append(other, line)
		} else {
			std = append(std, line)
		}
	}
	if len(std) > 0 && len(other) > 0 {
		std = append(std, nil)
	}
	block = bytes.Join(append(std, other...), []byte("\n"))
	return slices.Concat(head, []byte("import (\n"), block, []byte("\n)\n"), rest)
}
