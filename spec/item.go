package spec

import (
	"fmt"
	"go/token"
	"go/types"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// builtinSizes are the types of the language that hold no pointer, with size and alignment in bytes.
// Types as wide as a machine word have their sizes on 64-bit systems, where they are largest.
var builtinSizes = map[string][2]int64{
	"bool": {1, 1}, "byte": {1, 1}, "rune": {4, 4},
	"int8": {1, 1}, "int16": {2, 2}, "int32": {4, 4}, "int64": {8, 8}, "int": {8, 8},
	"uint8": {1, 1}, "uint16": {2, 2}, "uint32": {4, 4}, "uint64": {8, 8}, "uint": {8, 8}, "uintptr": {8, 8},
	"float32": {4, 4}, "float64": {8, 8}, "complex64": {8, 4}, "complex128": {16, 8},
}

// itemError says why a text is not an item type.
type itemError struct {
	code      Code
	why, help string
}

const itemHelp = "an item is a Go type without pointers: a builtin (float32), a type of the output package (Vertex), " +
	"one of an import (mesh.Vertex), or an array of one ([4]float32)"

// pointerType is the beginning of a Go type that holds pointers.
type pointerType struct{ prefix, what string }

var pointerTypes = []pointerType{
	{"*", "a pointer"}, {"[]", "a slice"}, {"map[", "a map"}, {"chan ", "a channel"}, {"chan<-", "a channel"}, {"<-chan", "a channel"},
	{"func(", "a function"}, {"func ", "a function"}, {"interface{", "an interface"}, {"interface {", "an interface"},
}

// instead proposes a replacement for a predeclared type that holds pointers.
var instead = map[string]string{
	"string": `write "[32]byte" for text of bounded length, or leave item out: the pool then hands out []byte of any length`,
}

// pointerTypeOf returns the entry of pointerTypes that a type begins with, nil if there is none.
func pointerTypeOf(text string) *pointerType {
	if i := slices.IndexFunc(pointerTypes, func(p pointerType) bool { return strings.HasPrefix(text, p.prefix) }); i >= 0 {
		return &pointerTypes[i]
	}
	return nil
}

// instead proposes a replacement for a pointer to, or slice of, the element. There is none if the element holds pointers itself; this is found without a look at
// what they point to, as a hostile file has many of them.
func (p pointerType) instead(element string) string {
	if _, rest, bad := dimensions(element); bad != nil || pointerTypeOf(rest) != nil {
		return ""
	}
	switch item, bad := parseItem(element); {
	case bad != nil:
		return ""
	case p.prefix == "*":
		return "write item: " + item.Type + "; the pool hands out *" + item.Type
	case p.prefix == "[]" && (item.Type == "byte" || item.Type == "uint8"):
		return "leave item out: the pool then hands out []byte of any length"
	case p.prefix == "[]":
		return "write item: " + item.Type + " and suballocator: heap; the pool hands out []" + item.Type + " of any length"
	}
	return ""
}

// pointerNames are the predeclared types that hold pointers.
var pointerNames = map[string]string{
	"string": "the pointer of a string", "error": "an interface", "any": "an interface", "unsafe.Pointer": "a pointer",
}

// parseItem reads an item type. It checks what can be known without the package the type is from; the
// import of a qualifier is looked up by the caller.
func parseItem(text string) (Item, *itemError) {
	counts, rest, bad := dimensions(text)
	if bad != nil {
		return Item{}, bad
	}
	item, bad := elementType(rest)
	if bad != nil {
		return Item{}, bad
	}
	for i := len(counts) - 1; i >= 0; i-- {
		item.Type = fmt.Sprintf("[%d]%s", counts[i], item.Type)
		if item.Size >= 0 {
			high, low := bits.Mul64(uint64(item.Size), uint64(counts[i]))
			if high != 0 || low > maxBlock {
				return Item{}, &itemError{codeItem, "is larger than " + FormatSize(maxBlock), "use a shorter array"}
			}
			item.Size = int64(low)
		}
	}
	return item, nil
}

// dimensions reads the array lengths that a type begins with, and returns the rest of its text.
func dimensions(text string) (counts []int64, rest string, bad *itemError) {
	rest = strings.TrimSpace(text)
	for strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, "[]") {
		length, after, closed := strings.Cut(rest[1:], "]")
		n, bad := arrayLength(strings.TrimSpace(length), closed)
		if bad != nil {
			return nil, "", bad
		}
		if counts = append(counts, n); len(counts) > 16 {
			return nil, "", &itemError{codeItem, "has too many dimensions", "declare a type for it in Go"}
		}
		rest = strings.TrimSpace(after)
	}
	return counts, rest, nil
}

// arrayLength reads the length of an array.
func arrayLength(text string, closed bool) (int64, *itemError) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case !closed:
		return 0, &itemError{codeItem, "has an opening bracket that is not closed", itemHelp}
	case text == "0":
		return 0, &itemError{codeItem, "has no size", "use an array with elements"}
	case err != nil || strconv.FormatInt(n, 10) != text || n < 0:
		return 0, &itemError{codeItem, fmt.Sprintf("has the array length %s", quote(text)), "write the length as a decimal number: [16]byte"}
	case n > maxBlock:
		return 0, &itemError{codeItem, "is larger than " + FormatSize(maxBlock), "use a shorter array"}
	}
	return n, nil
}

// elementType reads the element type of an item, after its array lengths.
func elementType(text string) (Item, *itemError) {
	if p := pointerTypeOf(text); p != nil {
		return Item{}, holdsPointers(p.what, p.instead(strings.TrimPrefix(text, p.prefix)))
	}
	if what := pointerNames[text]; what != "" {
		return Item{}, holdsPointers(what, instead[text])
	}
	if size, ok := builtinSizes[text]; ok {
		return Item{Kind: ItemBuiltin, Type: text, Size: size[0], Align: size[1]}, nil
	}
	if strings.HasPrefix(text, "struct") && (len(text) == 6 || text[6] == '{' || text[6] == ' ') {
		return Item{}, &itemError{codeItem, "is a struct without a name", "declare a type in the output package and name it here"}
	}
	if m := arrayOfC.FindStringSubmatch(text); m != nil {
		if _, known := builtinSizes[m[1]]; known {
			return Item{}, &itemError{codeItem, "is an array as C writes it", fmt.Sprintf("write %q", m[2]+m[1])}
		}
	}
	if strings.ContainsRune(text, '[') {
		return Item{}, &itemError{codeItem, "is an instance of a generic type", "declare a type in Go (type PairF32 Pair[float32]) and name it here"}
	}
	qualifier, name, qualified := strings.Cut(text, ".")
	if !qualified {
		qualifier, name = "", text
	}
	switch {
	case token.IsKeyword(text):
		return Item{}, &itemError{codeItem, "is a keyword of Go", itemHelp}
	case strings.Contains(text, "/"):
		return Item{}, &itemError{codeItem, "names its package by a path", byQualifier(text)}
	case !isIdentifier(name) || qualified && !isIdentifier(qualifier):
		return Item{}, &itemError{codeItem, "is not a Go type", itemHelp}
	case name == "comparable":
		return Item{}, &itemError{codeItem, "is a constraint, not a type", itemHelp}
	case !qualified && ownedByGo(name): // its types are handled above
		return Item{}, &itemError{codeItem, "is a value or a function of Go, not a type", itemHelp}
	case qualified && !token.IsExported(name):
		return Item{}, &itemError{codeItem, "is not exported by its package", rightCase(qualifier, name)}
	}
	return Item{Kind: ItemUser, Type: text, Qualifier: qualifier, Size: -1, Align: -1}, nil
}

func holdsPointers(what, instead string) *itemError {
	if instead == "" {
		instead = "keep an index or an offset instead of a pointer, and text as an array of bytes"
	}
	return &itemError{codePointers, "holds " + what + ", and the garbage collector does not look into pools", instead}
}

// rightCase says what to do about a type that its package does not export.
func rightCase(qualifier, name string) string {
	help := "export the type, or put the output into its package"
	if exported := exportedForm(name); exported != "" {
		return "write " + qualifier + "." + exported + " if there is one; else " + help
	}
	return help
}

// arrayOfC matches an array type with the length at the end.
var arrayOfC = regexp.MustCompile(`^(\w+)(\[[0-9]+\])$`)

// byQualifier proposes a qualifier for a type that is written with the path of its package.
func byQualifier(text string) string {
	dot := strings.LastIndex(text, ".")
	if slash := strings.LastIndex(text, "/"); dot > slash {
		if base := text[slash+1 : dot]; isIdentifier(base) {
			return fmt.Sprintf("write item: %s.%s, and at the top of the file imports: {%s: %s}", base, text[dot+1:], base, text[:dot])
		}
	}
	return itemHelp
}

// ownedByGo reports whether an identifier is a keyword of Go, or predeclared: generated code uses predeclared names, which
// declarations must not redefine.
func ownedByGo(name string) bool { return types.Universe.Lookup(name) != nil || name == "init" }

// isIdentifier reports whether text is a Go identifier that can be used as a name.
func isIdentifier(text string) bool {
	return token.IsIdentifier(text) && text != "_"
}
