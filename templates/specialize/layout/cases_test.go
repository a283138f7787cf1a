package layout_test

import "strings"

// cases are texts whose layout depends on names in one way or another, or seems to.
var cases = map[string]string{
	"body on one line":   "func (c *core) get(a, b int) int { return c.values[a+b*c.width] + offset }",
	"empty body":         "func (c *core) nothing(first, second, third argument) (result, another) {}",
	"literal function":   "func f() {\n\tdefer func() { err = join(err, p.release(block)) }()\n\tgo func(a int) { run(a, a) }(b)\n}",
	"adjacent functions": "func a() int { return 1 }\nfunc bcd() string { return \"\" }\nfunc (x *t) e() {}",
	"trailing comments":  "func f() {\n\ta := 1 // one\n\tbcd := 2 // two\n\n\tx() // three\n}",
	"struct":             "// Core is it.\ntype Core struct {\n\ta, b uint64 // two\n\tcd []int\n\n\tefg map[k]v // last\n}",
	"struct on one line": "type pair struct{ first, second int }\n\nvar x = struct{ a int }{1}\n\nvar set = map[key]struct{}{}",
	"interface":          "type runner interface {\n\tRun() // it\n\tStop(now bool) error // it\n}\n\ntype e interface{}\n\ntype o interface{ m() }",
	"keyed":              "var config = runtime.Config{\n\tname: \"x\",\n\tlongName: 1, b: 2,\n\tc:\n\t3,\n}",
	"keyed on one line":  "func f() T { return T{a: 1, b: 2} }",
	"keyed in a body":    "func f() T {\n\treturn T{\n\t\ta: 1,\n\t\tbc: g(x, y),\n\t}\n}",
	"constants":          "const (\n\ta = 1 << iota\n\tbcd // b\n\n\t// E is e.\n\tE int = 5\n\tfgh = 6\n)",
	"variables in body":  "func f() {\n\tvar (\n\t\ta int\n\t\tbcd = 5\n\t)\n\tvar e, f int = 1, 2\n\ttype t struct {\n\t\ta int\n\t\tbc uint\n\t}\n}",
	"aliases":            "type A = b\ntype Cde = f\n\ntype G = h // why",
	"many lines":         "func f(\n\ta int,\n\tbcd string,\n) (\n\te error,\n) {\n\treturn g(a,\n\t\tbcd, e,\n\t\th)\n}",
	"operators":          "func f(a, b int) int { return a*b+c<<d-e[a+b:c*d] }\n\nvar x = a+ b *c",
	"labels":             "func f() {\nouter:\n\tfor i := range n {\n\t\tif i == k { continue outer }\n\t\tswitch { case i>k: break outer; default: g() }\n\t}\n}",
	"heading":            "// F is.\n//\n// Wide Name\n//\n// It does.\nfunc F(Wide, Name int) {\n}",
	"list":               "// F is\n//   - a\n//   - b\n//\n//\tcode(a)\n//\n// 1. a\nfunc F(a, b int) {\n}",
	"links":              "// F is [G] and [G.H] or [text].\n//\n// [text]: https://go.dev/F\nfunc F(text, G, H int) {\n}",
	"directives":         "// F is it.\n//go:noinline\n// And more.\nfunc F() {\n}\n\n// G is.\n//\n//go:noinline\nfunc G() {\n}\n\n//line x:1\nvar F = 1",
	"loose comments":     "// Of its own.\n\nvar a = 1\n\n// At the end.\n\n\n\n// G is it.\nfunc G() {\n\t// a\n\n\n\t/* b */ a()\n}\n// below\n\n//last",
	"general comments":   "/* F does\nmore */\nfunc F() { a() /* b */ }\n\nvar a /* b */ = 1",
	"raw strings":        "var a = `x\n\nvar b = 1\n`\n\nvar c = b",
	"semicolons":         "var a = 1; var b = 2\n\nfunc f() { a(); b(); c() }\n\n;",
	"parentheses":        "func f() { return ((a)) }\n\nvar (a = 1)\n\nvar ()",
	"numbers":            "const a = 0X1F + 1E5 + 0B1",
	"spaces":             "\n\n  var   a=1\n\n\n\n\tfunc f(){}\n \n\t\nvar b=2 \n",
	"not go":             "var a = \n\nvar b = 1",
	"control bytes":      "var a = 1 // \x01\n\nvar b = \"\x00\"",
	"many":               strings.Repeat("// F is it.\nfunc F(a int) { return a + b }\n\n", 3),
}
