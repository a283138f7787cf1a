package spec

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	// Only this file uses the YAML library. A successor is a change of this line.
	"gopkg.in/yaml.v3"
)

// maxDepth bounds the nesting of a pool file. The language needs six levels.
const maxDepth = 32

// yamlError is the library's error about a broken file. Its line is often the one where the
// enclosing construct began, and 0 if the library gives none; see scan.go for a better place.
type yamlError struct {
	line    int
	message string
}

// parsed is the outcome of reading YAML.
type parsed struct {
	root   *node     // nil for an empty file
	second *Position // start of a second document
	deep   *Position // first place nested deeper than maxDepth; nothing below it is in root
}

// version12 matches the beginning of a file that calls itself YAML 1.2. The library refuses that name alone.
var version12 = regexp.MustCompile(`\A((?:(?:#.*)?\n)*%YAML[ \t]+1\.)2\b`)

// parseYAML turns the text into nodes. It follows no alias, so a small file cannot become a large tree.
func parseYAML(s *source) (out parsed, fail *yamlError) {
	defer func() {
		// The library returns its own failures as errors; if it panics, the file cannot be read.
		if r := recover(); r != nil {
			out, fail = parsed{}, &yamlError{message: fmt.Sprint(r)}
		}
	}()
	decoder := yaml.NewDecoder(strings.NewReader(version12.ReplaceAllString(s.text, "${1}1")))
	var first yaml.Node
	if err := decoder.Decode(&first); err != nil {
		if errors.Is(err, io.EOF) {
			return parsed{}, nil
		}
		return parsed{}, readYAMLError(err)
	}
	if len(first.Content) > 0 {
		out.root = convert(&cursor{src: s}, first.Content[0], 0, &out)
	}
	var next yaml.Node
	switch err := decoder.Decode(&next); {
	case err == nil:
		out.second = &Position{next.Line, next.Column}
	case !errors.Is(err, io.EOF):
		return parsed{}, readYAMLError(err)
	}
	return out, nil
}

// convert copies the library's tree into nodes.
func convert(c *cursor, y *yaml.Node, depth int, out *parsed) *node {
	n := &node{value: y.Value, anchor: y.Anchor, pos: Position{y.Line, y.Column}}
	tail := c.tail(n.pos)
	n.tagged = y.Style&yaml.TaggedStyle != 0 || strings.HasPrefix(tail, "!")
	if depth > maxDepth {
		if out.deep == nil {
			out.deep = &n.pos
		}
		return n
	}
	switch y.Kind {
	case yaml.ScalarNode:
		n.plain = y.Style&^yaml.TaggedStyle == 0
		n.null = n.plain && y.Tag == "!!null"
		n.text = y.Tag == "!!str"
	case yaml.AliasNode:
		n.kind = aliasNode
	case yaml.SequenceNode:
		n.kind = listNode
		for _, y := range y.Content {
			item := convert(c, y, depth+1, out)
			if item.null && item.value == "" && item.pos.Column > 1 {
				item.pos.Column, item.end = item.pos.Column-1, item.pos // the dash
			}
			n.items = append(n.items, item)
		}
	case yaml.MappingNode:
		n.kind = mapNode
		for i := 0; i+1 < len(y.Content); i += 2 {
			p := pair{convert(c, y.Content[i], depth+1, out), convert(c, y.Content[i+1], depth+1, out)}
			if p.value.null && p.value.value == "" {
				p.value.pos, p.value.end = p.key.pos, p.key.end // an empty value has no place of its own
			}
			n.pairs = append(n.pairs, p)
		}
	}
	n.setEnd(tail)
	return n
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// readYAMLError parses the library's message.
func readYAMLError(err error) *yamlError {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	fail := &yamlError{message: message}
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		fail.line, _ = strconv.Atoi(m[1])
		fail.message = message[len(m[0]):]
	}
	return fail
}
