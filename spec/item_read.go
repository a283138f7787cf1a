package spec

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// readItem reads an item type and finds the import of its qualifier.
func (c *poolCheck) readItem(k *Key, n *node) bool {
	if n.kind == listNode && c.src.line(n.pos.Line) != "" {
		c.fail(codeItem, n, `quote types that begin with a bracket: item: "[4]float32"`, "item is a Go type, and this is a list")
		return false
	}
	text, ok := c.scalar(n, k.Name)
	if !ok {
		return false
	}
	item, bad := parseItem(text)
	base := item.Type[strings.LastIndex(item.Type, "]")+1:]
	switch meant := meantBuiltin(base); {
	case bad != nil && c.file.brokenQualifier(text):
		return false // reported at the import
	case bad == nil && meant != "" && builtinSizes[base] == [2]int64{} && c.file.env.Decls[base] == "":
		help := "did you mean " + strings.TrimSuffix(item.Type, base) + meant + "? A type of that name would have to be declared in the output directory"
		if base == "bytes" {
			help = "leave item out: the pool then hands out []byte of any length; or write byte"
		}
		c.fail(codeItem, n, help, "item %s is not a builtin type, and the output directory declares no %s", quote(text), base)
		return false
	}
	if bad != nil {
		c.fail(bad.code, n, bad.help, "item %s %s", quote(text), bad.why)
		return false
	}
	if item.Qualifier != "" {
		imp := c.file.imports[item.Qualifier]
		if imp == nil && c.file.unread["imports"] {
			return false
		}
		if imp == nil {
			c.fail(codeQualifier, n, c.file.importHelp(item.Qualifier), "item %s is of package %s, which is not in imports", quote(text), item.Qualifier)
			return false
		}
		imp.used = true
		item.Import = imp.path
	}
	c.p.Item = item
	return true
}

// importHelp tells how to import the package of a qualifier.
func (f *checker) importHelp(qualifier string) string {
	var known []string
	for _, imp := range f.plan.Imports {
		known = append(known, imp.Qualifier)
	}
	if guess := nearest(qualifier, known); guess != "" {
		f.imports[guess].used = true
		return "did you mean " + guess + "?"
	}
	if path := standard[qualifier]; path != "" {
		return fmt.Sprintf("add it: imports: {%s: %s}", qualifier, path)
	}
	return fmt.Sprintf("add it: imports: {%s: example.com/path/of/%s}", qualifier, qualifier)
}

// standard has the packages of the standard library with types for items, by their qualifiers.
var standard = map[string]string{
	"time": "time", "image": "image", "color": "image/color", "netip": "net/netip", "atomic": "sync/atomic", "syscall": "syscall",
	"token": "go/token", "fs": "io/fs", "os": "os", "slog": "log/slog", "reflect": "reflect", "sync": "sync", "maphash": "hash/maphash", "rand": "math/rand/v2",
}

// foreignTypes maps types of other languages to the most similar builtin.
var foreignTypes = map[string]string{
	"double": "float64", "float": "float32", "char": "byte", "uchar": "byte", "short": "int16", "ushort": "uint16", "long": "int64", "ulong": "uint64",
	"size_t": "uint64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
	"f32": "float32", "f64": "float64", "uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64",
	"int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64", "boolean": "bool", "bytes": "byte", "integer": "int",
}

// meantBuiltin returns the builtin that an undeclared type name most likely means; "" if none is close. An exported name is never taken for a
// misspelling.
func meantBuiltin(name string) string {
	if meant := foreignTypes[name]; meant != "" || token.IsExported(name) || len(name) < 4 {
		return meant
	}
	for _, builtin := range slices.Sorted(maps.Keys(builtinSizes)) {
		if len(builtin) > 3 && distance(name, builtin) == 1 {
			return builtin
		}
	}
	return ""
}
