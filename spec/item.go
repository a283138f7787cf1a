package spec

import (
	"fmt"
	"go/token"
	"go/types"
	"math/bits"
	"strconv"
	"strings"
)

// builtinSizes are the types of the language that hold no pointer, with size and alignment in bytes. The
// machine-sized ones are counted as on 64-bit systems, where they are largest.
var builtinSizes = map[string][2]int64{
	"bool": {1, 1}, "byte": {1, 1}, "rune": {4, 4},
	"int8": {1, 1}, "int16": {2, 2}, "int32": {4, 4}, "int64": {8, 8}, "int": {8, 8},
	"uint8": {1, 1}, "uint16": {2, 2}, "uint32": {4, 4}, "uint64": {8, 8}, "uint": {8, 8}, "uintptr": {8, 8},
	"float32": {4, 4}, "float64": {8, 8}, "complex64": {8, 4}, "complex128": {16, 8},
}

// itemError says why a text is no item type.
type itemError struct {
	code      Code
	why, help string
}

const itemHelp = "an item is a Go type without pointers: a builtin (float32), a type of the output package (Vertex), " +
	"one of an import (mesh.Vertex), or an array of one ([4]float32)"

// pointerTypes are the ways a Go type begins that holds pointers.
var pointerTypes = []struct{ prefix, what string }{
	{"*", "a pointer"}, {"[]", "a slice"}, {"map[", "a map"}, {"chan ", "a channel"}, {"chan<-", "a channel"}, {"<-chan", "a channel"},
	{"func(", "a function"}, {"func ", "a function"}, {"interface{", "an interface"}, {"interface {", "an interface"},
}

// pointerNames are the predeclared types that hold pointers.
var pointerNames = map[string]string{
	"string": "the pointer of a string", "error": "an interface", "any": "an interface", "unsafe.Pointer": "a pointer",
}

// parseItem reads an item type. It checks what can be known without the package the type is from; the
// import of a qualifier is looked up by the caller.
func parseItem(text string) (Item, *itemError) {
	text = strings.TrimSpace(text)
	rest, counts := text, []int64(nil)
	for strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, "[]") {
		length, after, closed := strings.Cut(rest[1:], "]")
		n, bad := arrayLength(strings.TrimSpace(length), closed)
		if bad != nil {
			return Item{}, bad
		}
		if counts = append(counts, n); len(counts) > 16 {
			return Item{}, &itemError{codeItem, "has too many dimensions", "declare a type for it in Go"}
		}
		rest = strings.TrimSpace(after)
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

// elementType reads what is left of an item type once its array lengths are taken off.
func elementType(text string) (Item, *itemError) {
	for _, p := range pointerTypes {
		if strings.HasPrefix(text, p.prefix) {
			return Item{}, holdsPointers(p.what)
		}
	}
	if what := pointerNames[text]; what != "" {
		return Item{}, holdsPointers(what)
	}
	if size, ok := builtinSizes[text]; ok {
		return Item{Kind: ItemBuiltin, Type: text, Size: size[0], Align: size[1]}, nil
	}
	if strings.HasPrefix(text, "struct") && (len(text) == 6 || text[6] == '{' || text[6] == ' ') {
		return Item{}, &itemError{codeItem, "is a struct without a name", "declare a type in the output package and name it here"}
	}
	if strings.ContainsRune(text, '[') {
		return Item{}, &itemError{codeItem, "is an instance of a generic type", "declare a type in Go (type PairF32 Pair[float32]) and name it here"}
	}
	qualifier, name, qualified := strings.Cut(text, ".")
	if !qualified {
		qualifier, name = "", text
	}
	switch {
	case !isIdentifier(name) || qualified && !isIdentifier(qualifier):
		return Item{}, &itemError{codeItem, "is not a Go type", itemHelp}
	case name == "comparable":
		return Item{}, &itemError{codeItem, "is a constraint, not a type", itemHelp}
	case !qualified && ownedByGo(name): // its types are dealt with above
		return Item{}, &itemError{codeItem, "is a value or a function of Go, not a type", itemHelp}
	case qualified && !token.IsExported(name):
		return Item{}, &itemError{codeItem, "is not exported by its package", "export the type, or put the output into its package"}
	}
	return Item{Kind: ItemUser, Type: text, Qualifier: qualifier, Size: -1, Align: -1}, nil
}

func holdsPointers(what string) *itemError {
	return &itemError{codePointers, "holds " + what + ", and the garbage collector does not look into pools",
		"keep an index or an offset instead of a pointer, and text as an array of bytes"}
}

// ownedByGo reports whether an identifier has a meaning in Go that a declaration must not take from it, or cannot have: generated code
// uses what is predeclared.
func ownedByGo(name string) bool { return types.Universe.Lookup(name) != nil || name == "init" }

// isIdentifier reports whether text is a Go identifier that can be used as a name.
func isIdentifier(text string) bool {
	return token.IsIdentifier(text) && text != "_"
}
