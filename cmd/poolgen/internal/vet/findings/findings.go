// Package findings parses the output of go vet -json into findings with the lines they are about, and applies corrections.
package findings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/poolgen/poolgen/spec"
)

// List has the findings of one run, in the order of files and lines.
type List struct {
	all  []diagnostic
	read func(string) ([]byte, error)
}

// diagnostic is a diagnostic as go vet prints it.
type diagnostic struct {
	Category string    `json:"category"`
	Start    string    `json:"posn"`
	End      string    `json:"end"`
	Message  string    `json:"message"`
	Fixes    []fix     `json:"suggested_fixes"`
	Related  []related `json:"related"`
}

type related struct {
	Start   string `json:"posn"`
	End     string `json:"end"`
	Message string `json:"message"`
}

type fix struct {
	Message string `json:"message"`
	Edits   []edit `json:"edits"`
}

// Read reads a stream of objects: package to analyzer to diagnostics, and keeps those of the given packages, by import path. A finding that is
// repeated for a package's tests occurs once. read reads files.
func Read(r io.Reader, packages []string, read func(string) ([]byte, error)) (List, error) {
	l := List{read: read}
	seen := map[string]bool{}
	for d := json.NewDecoder(r); ; {
		var tree map[string]map[string]json.RawMessage
		if err := d.Decode(&tree); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return l, fmt.Errorf("go vet printed something else than findings: %w", err)
		}
		for pkg, rules := range tree {
			if !of(packages, pkg) {
				continue
			}
			for rule, text := range rules {
				var list []diagnostic
				if err := json.Unmarshal(text, &list); err != nil {
					return l, fmt.Errorf("rule %s failed on %s: %s", rule, pkg, text)
				}
				for _, x := range list {
					if key := x.Start + x.Message; !seen[key] {
						seen[key] = true
						l.all = append(l.all, x)
					}
				}
			}
		}
	}
	slices.SortFunc(l.all, func(a, b diagnostic) int {
		fa, pa := place(a.Start)
		fb, pb := place(b.Start)
		return cmp.Or(strings.Compare(fa, fb), cmp.Compare(pa.Line, pb.Line), cmp.Compare(pa.Column, pb.Column), strings.Compare(a.Message, b.Message))
	})
	return l, nil
}

// of reports whether a package, as the go command names it, is one of the given packages: "a", "a [a.test]" and "a_test [a.test]" are all a.
func of(packages []string, id string) bool {
	path, variant, _ := strings.Cut(id, " ")
	return slices.Contains(packages, path) || variant != "" && slices.Contains(packages, strings.TrimSuffix(path, "_test"))
}

// Diagnostics returns the findings in the form of the other commands. shown writes the name of a file.
func (l List) Diagnostics(shown func(string) string) (out spec.Diagnostics) {
	lines := map[string][]string{}
	at := func(start, end string) (file string, from, to spec.Position, excerpt string) {
		name, from := place(start)
		_, to = place(end)
		if _, ok := lines[name]; !ok {
			text, _ := l.read(name) // without the file there is no excerpt
			lines[name] = strings.Split(string(text), "\n")
		}
		if n := from.Line - 1; n >= 0 && n < len(lines[name]) {
			excerpt = strings.TrimRight(lines[name][n], "\r")
		}
		if to.Line != from.Line {
			to = spec.Position{Line: from.Line, Column: len(excerpt) + 1}
		}
		from.Column, to.Column = characters(excerpt, from.Column), characters(excerpt, to.Column)
		to.Column = max(to.Column, from.Column+1)
		return shown(filepath.FromSlash(name)), from, to, excerpt
	}
	for _, x := range l.all {
		d := spec.Diagnostic{Code: spec.Code(x.Category), Message: strings.TrimPrefix(x.Message, x.Category+": ")}
		d.File, d.Pos, d.End, d.Excerpt = at(x.Start, x.End)
		for _, r := range x.Related {
			n := spec.Note{Message: r.Message}
			n.File, n.Pos, n.End, n.Excerpt = at(r.Start, r.End)
			d.Notes = append(d.Notes, n)
		}
		if info, ok := spec.Explanation(x.Category); ok {
			d.Help = info.Fix
		}
		if len(x.Fixes) > 0 {
			d.Help = x.Fixes[0].Message + "; --fix does it"
		}
		out = append(out, d)
	}
	return out
}

// place splits file:line:column.
func place(text string) (file string, p spec.Position) {
	file = text
	for _, n := range []*int{&p.Column, &p.Line} {
		at := strings.LastIndexByte(file, ':')
		if at < 0 {
			return text, spec.Position{}
		}
		*n, _ = strconv.Atoi(file[at+1:])
		file = file[:at]
	}
	return file, p
}

// characters converts a column in bytes to one in characters.
func characters(line string, column int) int {
	return utf8.RuneCountInString(line[:min(max(column-1, 0), len(line))]) + 1
}
