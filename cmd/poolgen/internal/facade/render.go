package facade

import (
	"bytes"
	"slices"

	"github.com/dave/jennifer/jen"
)

// render writes a file out as gofmt would.
func render(f *jen.File) ([]byte, error) {
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return nil, err
	}
	return groupImports(b.Bytes()), nil
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
