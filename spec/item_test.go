package spec

import "testing"

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
