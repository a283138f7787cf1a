package spec

import (
	"fmt"
	"go/token"
	"maps"
	"path"
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
	if text == "bytes" && c.file.env.Decls[text] == "" {
		c.p.Item = bytesItem
		return true
	}
	item, bad := parseItem(text)
	base := item.Type[strings.LastIndex(item.Type, "]")+1:]
	switch meant := meantBuiltin(base); {
	case bad != nil && c.file.brokenQualifier(text):
		return false // reported at the import
	case bad == nil && meant != "" && builtinSizes[base] == [2]int64{} && c.file.env.Decls[base] == "":
		help := "did you mean " + strings.TrimSuffix(item.Type, base) + meant + "? A type of that name would have to be declared in the output directory"
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
	if !c.checkItemDeclared(n, item, base) {
		return false
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
	from := "example.com/path/of/" + qualifier
	for _, known := range standard {
		if path.Base(strings.TrimSuffix(known, "/v2")) == qualifier {
			from = known
			break
		}
	}
	return fmt.Sprintf("add it: imports: {%s: %s}", qualifier, from)
}

// standard lists packages of the standard library with types.
var standard = strings.Fields(`archive/tar archive/zip bufio bytes compress/flate compress/gzip compress/lzw compress/zlib
	container/list container/ring context crypto crypto/cipher crypto/dsa crypto/ecdh crypto/ecdsa
	crypto/ed25519 crypto/elliptic crypto/hpke crypto/mlkem crypto/rc4 crypto/rsa crypto/sha3 crypto/tls
	crypto/x509 crypto/x509/pkix database/sql database/sql/driver debug/dwarf debug/elf debug/macho
	debug/pe debug/plan9obj encoding/asn1 encoding/base32 encoding/base64 encoding/binary encoding/gob
	encoding/json encoding/xml expvar flag fmt go/ast go/build go/build/constraint go/constant go/doc
	go/parser go/printer go/scanner go/token go/types hash/crc32 hash/crc64 hash/maphash html/template
	image image/color image/draw image/jpeg image/png io io/fs log log/slog log/syslog math/big
	math/rand/v2 mime mime/multipart net net/http net/http/cookiejar net/http/httptest net/http/httptrace
	net/http/httputil net/mail net/netip net/rpc net/smtp net/textproto net/url os os/exec os/user
	path/filepath reflect regexp runtime/cgo runtime/debug runtime/metrics runtime/trace sort strconv
	strings sync sync/atomic syscall testing testing/fstest testing/quick text/scanner text/tabwriter
	text/template text/template/parse time unicode unique weak`)

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
