package layout

import (
	"go/token"
	"strings"
)

// Kinds of names. gofmt treats all names of one kind alike, but for their length.
const (
	identifier    byte = 'i'
	simpleType    byte = 't' // an identifier, with a package, a length, stars or brackets before it
	parenthesised byte = 'p' // such a type in parentheses
)

// kind returns the kind of a name, or 0 if it is anything else.
func kind(name string) byte {
	switch {
	case isIdentifier(name):
		return identifier
	case isType(name):
		return simpleType
	case len(name) > 2 && name[0] == '(' && name[len(name)-1] == ')' && isType(name[1:len(name)-1]):
		return parenthesised
	}
	return 0
}

// isIdentifier reports whether a name consists of ASCII letters and digits: of others, the number of bytes is not the width.
func isIdentifier(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && !(i > 0 && '0' <= c && c <= '9') {
			return false
		}
	}
	return name != "" && !token.IsKeyword(name)
}

// isType reports whether text is a type like []*[16]mesh.Vertex, written as gofmt does. Its lengths are decimal: gofmt rewrites
// others.
func isType(text string) bool {
	for {
		switch {
		case strings.HasPrefix(text, "*"):
			text = text[1:]
		case strings.HasPrefix(text, "["):
			n, rest, _ := strings.Cut(text[1:], "]")
			if strings.Trim(n, "0123456789") != "" {
				return false
			}
			text = rest
		default:
			pkg, name, qualified := strings.Cut(text, ".")
			return isIdentifier(pkg) && (!qualified || isIdentifier(name))
		}
	}
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
