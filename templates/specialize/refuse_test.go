package specialize_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/templates/specialize"
)

// refusals lists what is refused: the body of a template package p with a parameter on (bound to true) and a type
// parameter Item, and what the error must say. A body that begins with "package" is the whole file.
var refusals = []struct {
	name string
	body string
	bind string // "key = value", beside on
	want string
}{
	{"unknown directive", "//poolgen:when on\nfunc F() {}", "", "p/p.go:11:1: unknown directive //poolgen:when"},
	{"directive in a body", "func F() {\n\t//poolgen:if on\n\tprintln()\n}", "", "p/p.go:12:2: //poolgen:if is not in the comment of a declaration or a field"},
	{"param on a function", "//poolgen:param\nfunc F() {}", "", "11:1: //poolgen:param does not belong here"},
	{"param on a type", "//poolgen:param\ntype T int", "", "//poolgen:param does not belong here"},
	{"type on a const", "//poolgen:type\nconst c = 1", "", "//poolgen:type does not belong here"},
	{"type on a defined type", "//poolgen:type\ntype T int", "", "a type parameter is an alias: type T = ..."},
	{"two directives", "//poolgen:if on\n//poolgen:param\nconst c = 1", "", "second directive on one declaration"},
	{"param of two names", "//poolgen:param\nconst c, d = 1, 2", "", "a parameter is one name with one value"},
	{"argument of param", "//poolgen:param c\nconst c = 1", "", "//poolgen:param takes no argument"},
	{"condition that is no Go", "//poolgen:if on &&\nconst c = 1", "", "is no Go expression"},
	{"condition of unknown name", "//poolgen:if onn\nconst c = 1", "", "p/p.go:11:1: undefined: onn"},
	{"condition without parameter", "//poolgen:if 1 < 2\nfunc F() {}", "", "the parameters do not decide this condition"},
	{"condition on a size", "//poolgen:if size > 2\nfunc F() {}\nconst size = unsafe.Sizeof(Item{})", "", "p/p.go:11:1: condition depends on the size of a type parameter"},
	{"method without a receiver", "func () F() {}", "", "a method has one receiver"},
	{"directive inside a counting group", "const (\n\ta = iota\n\t//poolgen:if on\n\tb\n)", "", "inside a const group that counts with iota"},

	{"branch on the size of the item", "func F() int {\n\tif unsafe.Sizeof(Item{}) > 8 {\n\t\treturn 1\n\t}\n\treturn 2\n}", "", "p/p.go:12:5: condition depends on the size of a type parameter"},
	{"branch on the size of a struct with the item", "type s struct{ x [2]Item }\nconst size = unsafe.Sizeof(s{})\nfunc F() int {\n\tif size > 8 {\n\t\treturn 1\n\t}\n\treturn 2\n}", "", "depends on the size of a type parameter"},
	{"branch on a size and a parameter", "type s struct{ x *int }\nfunc F() int {\n\tif unsafe.Sizeof(s{}) > 8 == on {\n\t\treturn 1\n\t}\n\treturn 2\n}", "", "condition depends on the size of a type, which"},
	{"branch on the width of uint and a parameter", "func F() int {\n\tif on == (^uint(0)>>63 == 1) {\n\t\treturn 1\n\t}\n\treturn 2\n}", "", "condition depends on the size of a type, which"},
	{"branch on the width of int and a parameter", "package p\n\nimport \"math\"\n\n//poolgen:param\nconst n = 1\n\nfunc F() int {\n\tif n < math.MaxInt {\n\t\treturn 1\n\t}\n\treturn 2\n}", "", "condition depends on the size of a type, which"},
	{"branch on an opaque parameter", "//poolgen:param\nconst n = 1\nfunc F() int {\n\tif n > 2 {\n\t\treturn 1\n\t}\n\treturn 2\n}", "p.n = other", "only the output's compiler knows"},
	{"switch on an opaque parameter", "//poolgen:param\nconst n = 1\nfunc F() int {\n\tswitch n {\n\tcase 1:\n\t\treturn 1\n\t}\n\treturn 2\n}", "p.n = other", "switch on a value that is not known here"},
	{"switch on a size", "func F() int {\n\tswitch unsafe.Sizeof(Item{}) {\n\tcase 1:\n\t\treturn 1\n\t}\n\treturn 2\n}", "", "switch on a value that is not known here"},

	{"break in a decided switch", "func F() {\n\tfor {\n\t\tswitch {\n\t\tcase on:\n\t\t\tbreak\n\t\t}\n\t}\n}", "", "p/p.go:15:4: break in a switch that parameters decide"},
	{"fallthrough in a decided switch", "func F() {\n\tswitch {\n\tcase on:\n\t\tfallthrough\n\tdefault:\n\t}\n}", "", "fallthrough in a switch that parameters decide"},
	{"label on a decided if", "func F() {\nl:\n\tif on {\n\t\tgoto l\n\t}\n}", "", "label on an if that parameters decide"},
	{"label on a decided switch", "func F() {\nl:\n\tswitch {\n\tcase on:\n\t\tfor {\n\t\t\tbreak l\n\t\t}\n\t}\n}", "", "label on a switch that parameters decide"},
	{"label inside a decided if", "func F() {\n\tif on {\n\tl:\n\t\tgoto l\n\t}\n}", "", "label inside a branch that parameters decide"},
	{"goto into what is dropped", "func F() {\n\tgoto l\n\tif on {\n\t\treturn\n\t}\nl:\n\tprintln()\n}", "", "label after a branch that parameters decide"},
	{"decided if with init", "func F() {\n\tif x := 1; on {\n\t\tprintln(x)\n\t}\n}", "", "an if with a statement before a condition that parameters decide"},
	{"decided switch with init", "func F() {\n\tswitch x := 1; {\n\tcase on:\n\t\tprintln(x)\n\t}\n}", "", "a switch with a statement before a value that parameters decide"},
	{"loop on a parameter", "func F() {\n\tfor on {\n\t}\n}", "", "loop whose condition parameters decide"},
	{"case with several conditions", "func F(b bool) {\n\tswitch {\n\tcase on, b:\n\t}\n}", "", "case with several conditions in a switch that parameters decide"},
	{"case that is not constant", "func F(b bool) {\n\tswitch on {\n\tcase b:\n\t}\n}", "", "case that is not constant in a switch that parameters decide"},
	{"call that is dropped", "func f() bool { return true }\nfunc F() {\n\tif f() && !on {\n\t\tprintln()\n\t}\n}", "", "p/p.go:13:5: a parameter makes this call superfluous: write the parameter on the left of &&"},
	{"if that becomes empty with a call", "func f() bool { return true }\nfunc F() {\n\tif f() {\n\t\tif !on {\n\t\t\tprintln()\n\t\t}\n\t}\n}", "", "pruning leaves the body of this if empty"},
	{"loop that becomes empty", "func F() {\n\tfor range 3 {\n\t\tif !on {\n\t\t\tprintln()\n\t\t}\n\t}\n}", "", "pruning leaves the body of this loop empty"},

	{"use of a pruned function", "//poolgen:if !on\nfunc g() {}\nfunc F() { g() }", "", "p/p.go:13:12: use of g, which is pruned (p/p.go:11:1)"},
	{"use of a pruned field", "type T struct {\n\t//poolgen:if !on\n\ta int\n}\nfunc F(t *T) int { return t.a }", "", "use of a, which is pruned"},
	{"use of a pruned embedded field", "type E struct{}\ntype T struct {\n\t//poolgen:if !on\n\tE\n}\nfunc F(t *T) any { return t.E }", "", "use of E, which is pruned"},
	{"use of a pruned constant", "//poolgen:if !on\nconst c = 1\nconst D = c + 1", "", "use of c, which is pruned"},
	{"literal without keys", "type T struct {\n\ta int\n\t//poolgen:if !on\n\tb int\n}\nvar V = T{1, 2}", "", "literal without keys of a struct with a pruned field b"},
	{"literal of the item", "var V = Item{1}", "", "composite literal with elements of a type parameter"},
	{"embedded alias", "type T struct{ Item }", "", "embedded alias Item: name the field"},

	{"condition inside a sentence", "// F does, if [on], nothing.\nfunc F() {}", "", "p/p.go:11:12: a condition begins its sentence"},
	{"condition after a colon", "// F: If [on], it does nothing.\nfunc F() {}", "", "p/p.go:11:7: a condition begins its sentence"},
	{"condition in parentheses", "// F does nothing. (If [on], it does.)\nfunc F() {}", "", "p/p.go:11:20: a condition begins its sentence"},
	{"condition without a comma", "// F does nothing. Unless [on] it does.\nfunc F() {}", "", "p/p.go:11:20: a comma follows a condition"},
	{"two conditions", "// F does nothing. If [on] and [off], it does.\nfunc F() {}\n\nconst off = !on", "", "p/p.go:11:20: a comma follows a condition"},
	{"condition on nothing", "func F() {\n\t// If [on],\n\n\t// this does nothing.\n}", "", "p/p.go:12:5: nothing follows the condition"},
	{"condition in a list", "// F does nothing:\n//\n//   - If [on], it does.\nfunc F() {}", "", "p/p.go:13:8: a condition stands in a paragraph"},
	{"condition in code", "// F does nothing:\n//\n//\tIf [on], it does.\nfunc F() {}", "", "p/p.go:13:4: a condition stands in a paragraph"},
	{"condition between /* and */", "/*\nF does nothing. If [on], it does.\n*/\nfunc F() {}", "", "p/p.go:12:17: a condition stands in a paragraph"},
	{"condition on an unknown name", "// F does nothing. If [off], it does.\nfunc F() {}", "", "p/p.go:11:20: undefined: off"},
	{"condition on an unknown package", "// F does nothing. If [feature.Locked], it does.\nfunc F() {}", "", "p/p.go:11:20: undefined: feature"},
	{"condition on a type", "// F does nothing. If [Item], it does.\nfunc F() {}", "", "p/p.go:11:20: the parameters do not decide this condition"},
	{"condition on a number", "// F does nothing. If [n], it does.\nfunc F() {}\n\n//poolgen:param\nconst n = 1", "", "p/p.go:11:20: the parameters do not decide this condition"},
	{"condition that no parameter decides", "// F does nothing. If [off], it does.\nfunc F() {}\n\nconst off = false", "", "p/p.go:11:20: the parameters do not decide this condition"},
	{"condition on a size", "// F does nothing. If [wide], it does.\nfunc F() {}\n\nconst wide = on && unsafe.Sizeof(0) == 8", "", "p/p.go:11:20: condition depends on the size of a type"},
	{"condition in a comment that goes", "func F() {\n\tif !on {\n\t\t// If [off], gone.\n\t\tprintln()\n\t}\n}", "", "p/p.go:13:6: undefined: off"},

	{"dot import", "package p\nimport . \"ex/q\"\n", "", "template packages have no \".\" imports"},
	{"blank import", "package p\nimport _ \"ex/q\"\n", "", "template packages have no \"_\" imports"},
	{"cgo", "package p\nimport \"C\"\n", "", "template packages do not use cgo"},
	{"import without a name", "package p\nimport \"math/rand/v-2\"\n", "", "needs an explicit name"},
	{"build constraint", "//go:build linux\n\npackage p\n", "", "template files have no build constraints"},
	{"init", "func init() {}", "", "template packages have no init functions"},
	{"generic function", "func F[T any]() {}", "", "template functions have no type parameters"},
	{"generic type", "type T[X any] struct{ x X }", "", "template types have no type parameters"},
	{"raw string over lines", "var V = `a\nb`", "", "no raw strings over several lines"},
	{"syntax", "func F( {}", "", "p/p.go:11:"},
	{"type error", "var V int = \"x\"", "", "p/p.go:11:13: cannot use \"x\""},
	{"field that a known type lacks", "package p\n\nimport \"ex.com/q\"\n\ntype U q.T\ntype T struct{ a int }\nfunc F(t *T, u *U) int { return t.a + u.b + t.b }", "", "p/p.go:7:47: t.b undefined"},
	{"field that a copy of a known type lacks", "package p\n\ntype T struct{ a int }\ntype U T\nfunc F(u U) int { return u.b }", "", "p/p.go:5:28: u.b undefined"},
	{"unused variable", "func F() {\n\tx := 1\n\tif !on {\n\t\tprintln(x)\n\t}\n}", "", "declared and not used: x"},

	{"unknown parameter", "", "p.off = true", "parameter p.off: the template has no such parameter"},
	{"unknown package", "", "q.off = true", "parameter q.off: no template package of this name is linked"},
	{"not a parameter", "const c = 1", "p.c = 2", "parameter p.c: it is not marked with //poolgen:param"},
	{"value that is no expression", "//poolgen:param\nconst c = 1", "p.c = 2 +", "parameter p.c: 2 + is no Go expression"},
	{"value of a wrong type", "//poolgen:param\nconst c uint8 = 1\nconst D = c", "p.c = 300", "parameter p.c: "},
	{"value with unknown import", "//poolgen:param\nconst c = 1\nconst D = c", "p.c = q.X", "parameter p.c: the import of q is not given"},
}

func TestRefusals(t *testing.T) {
	head := "package p\n\nimport \"unsafe\"\n\n//poolgen:param\nconst on = false\n\n//poolgen:type\ntype Item = [64]byte\n\n"
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) {
			src := test.body
			if !strings.Contains(src, "package p\n") {
				src = head + src + "\n\nvar _ unsafe.Pointer\n"
			}
			inst := specialize.Instance{Root: "ex/p", Bind: map[string]string{}}
			if strings.Contains(src, "const on") {
				inst.Bind["p.on"] = "true"
			}
			if key, value, ok := strings.Cut(test.bind, " = "); ok {
				inst.Bind[key] = value
			}
			_, err := specialize.Specialize(specialize.Library{"ex/p": {"p.go": src}}, inst)
			checkError(t, err, test.want)
		})
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	var e *specialize.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error with %q", err, want)
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("got %q, want %q", err, want)
	}
}

// TestRefusedInstances covers what is wrong between packages, or with the instance.
func TestRefusedInstances(t *testing.T) {
	lib := specialize.Library{
		"ex/a":  {"a.go": "package a\n\nimport \"ex/b\"\n\nfunc F() { b.F() }\n\nfunc G() { name := 1; _ = name }\n"},
		"ex/b":  {"b.go": "package b\n\nimport \"ex/a\"\n\nfunc F() { a.F() }\n"},
		"ex/c":  {"c.go": "package c\n\nimport (\n\t\"ex/d\"\n\t\"ex/e/d\"\n\tdd \"ex/d\"\n)\n\nfunc F() { d.F(); dd.F() }\n"},
		"ex/d":  {"d.go": "package d\n\nfunc F() {}\n\nfunc G() { fooLocal := 1; _ = fooLocal }\n\nfunc local() {}\n\nfunc H() { local() }\n\nfunc Bits() int { return bits.Len(1) }\n"},
		"ex/ed": {"d.go": "package d\n\nfunc F() {}\n"},
		"ex/f":  {"f.go": "package f\n\nimport (\n\t\"ex/d\"\n\td2 \"ex/ed\"\n)\n\nfunc F() { d.F(); d2.F() }\n"},
		"ex/g":  {"g.go": "package g\n\nimport \"math/bits\"\n\nfunc F() int { return bits.Len(1) }\n\nfunc H() {}\n", "h.go": "package g\n"},
		"ex/m":  {"m.go": "package m\n", "n.go": "package n\n"},
		"ex/no": {"x_test.go": "package no\n"},
		"ex/h":  {"h.go": "package h\n\nfunc F() { fooG := 1; _ = fooG }\n\nfunc G() {}\n"},
		"ex/i":  {"i.go": "package i\n\nimport rt \"x.com/runtime\"\nimport \"ex/j\"\n\nfunc F() { rt.F(); j.F() }\n"},
		"ex/j":  {"j.go": "package j\n\nimport \"x.com/runtime\"\n\nfunc F() { rt := 1; runtime.G(rt) }\n"},
		"ex/t":  {"t.go": "package t\n\n//poolgen:type\ntype Item = int\n\nfunc F(Item) {}\n\nfunc Node() {}\n"},
	}
	for _, test := range []struct {
		name string
		inst specialize.Instance
		want string
	}{
		{"cycle", specialize.Instance{Root: "ex/a"}, "imports itself"},
		{"no root", specialize.Instance{Root: "ex/z"}, `no template package "ex/z"`},
		{"only tests", specialize.Instance{Root: "ex/no"}, "has no files"},
		{"two packages in one", specialize.Instance{Root: "ex/m"}, "m/n.go:1:9: package n, but the other files say m"},
		{"same name", specialize.Instance{Root: "ex/f"}, "have the same name"},
		{"replace by nothing", specialize.Instance{Root: "ex/g", Replace: map[string]string{"ex/d": "ex/z"}}, "to link in place of"},
		{"replace nothing", specialize.Instance{Root: "ex/g", Replace: map[string]string{"ex/z": "ex/d"}}, "is no template"},
		{"replace what is not imported", specialize.Instance{Root: "ex/g", Replace: map[string]string{"ex/d": "ex/ed"}}, "no template of the instance imports"},
		{"name of nothing", specialize.Instance{Root: "ex/g", Names: map[string]string{"g.X": "Y"}}, "name for g.X"},
		{"name of no package", specialize.Instance{Root: "ex/g", Names: map[string]string{"x.X": "Y"}}, "no template package x is linked"},
		{"two of one name", specialize.Instance{Root: "ex/g", Names: map[string]string{"g.F": "X", "g.H": "X"}}, "would both be called X"},
		{"keyword", specialize.Instance{Root: "ex/g", Names: map[string]string{"g.F": "func"}}, "no name to give"},
		{"predeclared", specialize.Instance{Root: "ex/g", Names: map[string]string{"g.F": "len"}}, "no name to give"},
		{"name of an import", specialize.Instance{Root: "ex/g", Names: map[string]string{"g.F": "bits"}}, "the name of an import (math/bits)"},
		{"local name", specialize.Instance{Root: "ex/h", Prefix: "foo"}, "a local name at h/h.go:3:12"},
		{"import under a local name", specialize.Instance{Root: "ex/i"}, "j/j.go:5:21: \"x.com/runtime\" is imported as rt, which is a local name here"},
		{"name of the item", specialize.Instance{Root: "ex/t", Types: map[string]string{"t.Item": "Node"}}, "used in Node"},
		{"unknown type", specialize.Instance{Root: "ex/t", Types: map[string]string{"t.Elem": "Node"}}, "has no such parameter"},
		{"no type", specialize.Instance{Root: "ex/t", Types: map[string]string{"t.Item": "1 + 2"}}, "parameter t.Item: 1 + 2 is no Go type"},
		{"type with unknown import", specialize.Instance{Root: "ex/t", Types: map[string]string{"t.Item": "q.Node"}}, "the import of q is not given"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := specialize.Specialize(lib, test.inst)
			checkError(t, err, test.want)
			if e := err.(*specialize.Error); (e.Taken != "") != (strings.Contains(test.want, "used in") || strings.Contains(test.want, "name of an import")) {
				t.Errorf("taken: %q", e.Taken)
			}
		})
	}
}

// TestAssertions maps failed assertions of a template to the parameters they depend on.
func TestAssertions(t *testing.T) {
	lib := specialize.Library{
		"ex/p": {"p.go": `package p

import "ex/q"

const (
	//poolgen:param
	granule = 16
	//poolgen:param
	split = 16
)

const least = split / granule

// granule must be a power of two.
const _ = -uint(granule & (granule - 1))

const _ = uint(least - 1) // split must be at least a granule

const _ = uint(q.Max - granule)

var Table [granule]byte
`},
		"ex/q": {"q.go": "package q\n\n//poolgen:param\nconst Max = 1 << 20\n"},
	}
	for _, test := range []struct {
		key, value string
		params     string
		msg        string
	}{
		{"p.granule", "24", "p.granule", "granule must be a power of two"},
		{"p.split", "8", "p.split p.granule", "split must be at least a granule"},
		{"p.granule", "1 << 21", "p.granule p.split", "split must be at least a granule"},
		{"q.Max", "8", "q.Max p.granule", "overflow"},
		{"p.granule", "-1", "p.granule", "granule must be a power of two"},
		{"p.granule", "\"x\"", "p.granule p.split", "mismatched types"},
	} {
		_, err := specialize.Specialize(lib, specialize.Instance{Root: "ex/p", Bind: map[string]string{test.key: test.value}})
		var e *specialize.Error
		if !errors.As(err, &e) {
			t.Errorf("%s = %s: %v", test.key, test.value, err)
			continue
		}
		if got := strings.Join(e.Params, " "); got != test.params || !strings.Contains(e.Error(), test.msg) {
			t.Errorf("%s = %s: got %q of %q, want %q of %q", test.key, test.value, e, got, test.msg, test.params)
		}
	}
}
