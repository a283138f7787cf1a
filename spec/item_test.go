package spec

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestParseItem(t *testing.T) {
	for _, test := range []struct {
		text        string
		size, align int64
		kind        ItemKind
		normal      string // "" means text itself
	}{
		{"float32", 4, 4, ItemBuiltin, ""},
		{"bool", 1, 1, ItemBuiltin, ""},
		{"uintptr", 8, 8, ItemBuiltin, ""},
		{"complex64", 8, 4, ItemBuiltin, ""},
		{"complex128", 16, 8, ItemBuiltin, ""},
		{"[4]float32", 16, 4, ItemBuiltin, ""},
		{" [ 4 ] [2]float64 ", 64, 8, ItemBuiltin, "[4][2]float64"},
		{"[140737488355328]byte", maxBlock, 1, ItemBuiltin, ""},
		{"Vertex", -1, -1, ItemUser, ""},
		{"vertex", -1, -1, ItemUser, ""},
		{"[8]Vertex", -1, -1, ItemUser, ""},
		{"mesh.Vertex", -1, -1, ItemUser, ""},
		{"[3]mesh.Vertex", -1, -1, ItemUser, ""},
		{"structure", -1, -1, ItemUser, ""},
		{"Überblick", -1, -1, ItemUser, ""},
	} {
		item, bad := parseItem(test.text)
		if test.normal == "" {
			test.normal = test.text
		}
		if bad != nil || item.Type != test.normal || item.Size != test.size || item.Align != test.align || item.Kind != test.kind {
			t.Errorf("%q: got %+v %v", test.text, item, bad)
		}
	}
}

func TestParseItemRefused(t *testing.T) {
	for text, want := range map[string]Code{
		"*Vertex": codePointers, "[]byte": codePointers, "[4][]byte": codePointers, "[4]*T": codePointers,
		"map[string]int": codePointers, "chan int": codePointers, "<-chan int": codePointers, "chan<- int": codePointers,
		"func()": codePointers, "string": codePointers, "[2]string": codePointers, "error": codePointers, "any": codePointers,
		"interface{}": codePointers, "unsafe.Pointer": codePointers, "**T": codePointers, "*[2]*T": codePointers, "[][]byte": codePointers,
		"struct{ x int }": codeItem, "struct {}": codeItem, "Pair[float32]": codeItem, "mesh.Pair[int]": codeItem,
		"mesh.vertex": codeItem, "a.b.C": codeItem, "": codeItem, "4": codeItem, "_": codeItem, "type": codeItem, "x y": codeItem,
		"nil": codeItem, "comparable": codeItem, "[0]byte": codeItem, "[n]byte": codeItem, "[0x10]byte": codeItem,
		"[1_0]byte": codeItem, "[010]byte": codeItem, "[-1]byte": codeItem, "[4": codeItem, "[4]": codeItem, "[...]byte": codeItem,
		"[99999999999999999999]byte": codeItem, "[140737488355329]byte": codeItem, "[1000000000][1000000000][1000000000]byte": codeItem,
		"[9]byte]": codeItem, "Vertex // x": codeItem, "Vertex\nx": codeItem, "mesh.Vertex;": codeItem,
	} {
		item, bad := parseItem(text)
		if bad == nil || bad.code != want || bad.why == "" || bad.help == "" {
			t.Errorf("%q: got %+v %+v, want %s", text, item, bad, want)
		}
	}
}

// Items of the output package are looked up in its declarations, as far as these say what an item holds.
func TestItemsAreDeclared(t *testing.T) {
	env, err := ScanDir(fstest.MapFS{
		"a.go": {Data: []byte(`package scene

import (
	"time"
	"unsafe"
)

type (
	Plain struct {
		_       [0]func()
		a, b    float32
		c       [4]struct{ d uint8 }
		Named
		time.Duration
	}
	Named   Number
	Number  int
	Text    struct{ a int; Name string }
	Nested  struct{ a [2]struct{ b Text } }
	Base    struct{ *Text }
	Alias   = []byte
	Array   [3](Alias)
	Func    func()
	Map     map[string]int
	Chan    chan int
	Iface   interface{ Do() }
	Raw     unsafe.Pointer
	Pair[T any] struct{ a, b T }
	Box[T any] struct{ v *T }
	Numbers Pair[int]
	Boxed   Box[int]
	Stamp   struct{ at time.Time }
	Lengths [count]string
	Loop    struct {
		l [2]Loop
		m [2]Loop
	}
	error   int
	Code    struct{ e error }
)

const count = 0

func Fn() {}
`)},
		"b_linux.go":   {Data: []byte("package scene\n\ntype System struct{ s *int }\n")},
		"b_windows.go": {Data: []byte("package scene\n\ntype System struct{ s int }\n")},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for item, want := range map[string]string{
		"Plain": "", "Numbers": "", "Stamp": "", "Lengths": "", "Loop": "", "Code": "", "System": "", "Later": "", "'[2]Named'": "",
		"Text": "holds the pointer of a string in Name", "Nested": "holds the pointer of a string in a.b.Name", "Base": "holds a pointer in Text", "Alias": "holds a slice", "'[4]Array'": "holds a slice",
		"Func": "holds a function", "Map": "holds a map", "Chan": "holds a channel", "Iface": "holds an interface", "Raw": "holds a pointer",
		"Boxed": "holds a pointer in v", "Fn": "is declared in the output directory, and not as a type", "Plains": "is not declared in the output directory, which has a type Plain",
	} {
		doc, _ := Load("poolgen.yaml", []byte("version: 1\npools: [{name: A, item: "+item+"}]\n"))
		_, found := doc.Validate(env)
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.Contains(found[0].Message, want) || found[0].Help == "" || len(found[0].Notes) != 1) {
			t.Errorf("%s: got %+v, want %q", item, found, want)
		}
	}
	env.dot = true // a type may come from elsewhere
	doc, _ := Load("poolgen.yaml", []byte("version: 1\npools: [{name: A, item: Plains}]\n"))
	if _, found := doc.Validate(env); len(found) > 0 {
		t.Error(found)
	}
}
