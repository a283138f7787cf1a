package cheader

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/scene"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

var update = flag.Bool("update", false, "write the golden files")

// items are the types of packages odd and scene that C can represent.
var items = []any{
	odd.Plain{}, odd.Holes{}, odd.Numbers{}, odd.Small{}, odd.Nested{}, odd.PairOfNumbers{}, odd.Wide{}, odd.Counted{}, odd.Tailed{}, odd.Blank{}, odd.Words{},
	odd.Matrix{}, odd.Handle(0), odd.Long{}, odd.Around{}, odd.Boxes{}, scene.Scratch_view{}, scene.Scratch_alloc{}, scene.RowsItem{},
}

// plan is the plan of a pool file whose items may be of the packages in testdata.
func plan(t testing.TB, pools string) *spec.Plan {
	t.Helper()
	text := "version: 1\npackage: scene\nimports:\n"
	for _, name := range []string{"odd", "scene", "broken", "torn", "missing", "other"} {
		if strings.Contains(pools, name+".") {
			text += fmt.Sprintf("  %s: github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/%s\n", name, name)
		}
	}
	doc, found := spec.Load("poolgen.yaml", []byte(strings.Replace(text+"pools:\n"+pools, "imports:\npools", "pools", 1)))
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	p, found := doc.Validate(spec.Env{Dir: "scene"})
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	return p
}

// headers generates the headers of pools for an architecture, by name of the pool.
func headers(t *testing.T, arch, pools string) (map[string][]byte, spec.Diagnostics) {
	t.Helper()
	here, err := os.Getwd()
	fatal.If(t, err)
	s := Source{Environ: append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0"), Dir: here, Output: here}
	p := plan(t, pools)
	files, found := s.Headers(context.Background(), p, "// head")
	byPool := map[string][]byte{}
	for i := range p.Pools {
		if text, ok := files[lower.FilesOf(&p.Pools[i]).Header]; ok {
			byPool[p.Pools[i].Name] = text
		}
	}
	return byPool, found
}

// all generates the header of each item.
func all(t *testing.T, arch string) map[string][]byte {
	t.Helper()
	pools := "  - {name: Scratch, item: 'odd.Plain', allocator: device, suballocator: bump, device_view: true}\n" +
		"  - {name: Bytes, allocator: device, suballocator: bump, device_view: true, alignment: 16}\n" +
		"  - {name: Node, item: 'odd.Plain', allocator: device, suballocator: heap, device_view: fixed}\n" +
		"  - {name: Leaf, item: uint64, allocator: device, suballocator: bump, device_view: fixed}\n" +
		"  - {name: Rows, item: '[3][2]odd.Wide', c_header: true}\n  - {name: Weight, item: '[4]float32', c_header: true}\n  - {name: Index, item: int, c_header: true}\n" +
		"  - {name: Unnamed, item: odd.Unnamed, c_header: true}\n  - {name: UnnamedRows, item: '[2]odd.Unnamed', c_header: true}\n" +
		"  - {name: Boxed, item: odd.Boxed, c_header: true}\n  - {name: Filled, item: odd.Filled, c_header: true}\n"
	for _, item := range items {
		pools += fmt.Sprintf("  - {name: Of%s, item: %s.%[1]s, c_header: true}\n", typeName(item), path.Base(reflect.TypeOf(item).PkgPath()))
	}
	files, found := headers(t, arch, pools)
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	if len(files) != len(items)+11 {
		t.Fatalf("%d headers for %d items", len(files), len(items)+11)
	}
	return files
}

func typeName(item any) string {
	t := reflect.TypeOf(item)
	if strings.HasPrefix(t.Name(), "Pair[") {
		return "PairOfNumbers"
	}
	return t.Name()
}

// Headers are as in the golden files: read what changes. Those of an architecture are one archive; that of 386 has what is not as for amd64. [preamble]
// stands for the preamble, and [A 2-4] for the second to fourth paragraph of header A.
func TestGolden(t *testing.T) {
	big, small := all(t, "amd64"), all(t, "386")
	maps.DeleteFunc(small, func(name string, text []byte) bool { return bytes.Equal(text, big[name]) })
	for name, text := range small {
		small[name] = otherLines(text, big[name])
	}
	for arch, headers := range map[string]map[string][]byte{"amd64": big, "386": small} {
		archive := txtar.Archive{Comment: []byte("Headers for " + arch + ".\n")}
		first := map[string]place{}
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			text := bytes.Replace(headers[name], []byte("\n"+preamble), []byte("\n[preamble]\n"), 1)
			archive.Files = append(archive.Files, txtar.File{Name: name + ".h", Data: newParagraphs(name, text, first)})
		}
		file, text := filepath.Join("testdata", "golden", arch+".txtar"), txtar.Format(&archive)
		if *update {
			fatal.If(t, os.WriteFile(file, text, 0o644))
		}
		read, err := os.ReadFile(file)
		fatal.If(t, err)
		want := txtar.Parse(read)
		for i, f := range archive.Files {
			if i >= len(want.Files) || f.Name != want.Files[i].Name || string(f.Data) != string(want.Files[i].Data) {
				t.Errorf("%s: %s is not what is generated (-update rewrites it):\n%s", file, f.Name, f.Data)
				break
			}
		}
		if len(want.Files) != len(archive.Files) {
			t.Errorf("%s has %d headers, and %d are generated (-update rewrites it)", file, len(want.Files), len(archive.Files))
		}
	}
}

// place is where a paragraph of a header is.
type place struct {
	header string
	at     int // from 1
}

// newParagraphs returns a header in which places stand for those paragraphs that an earlier header has. first has the first place of each paragraph.
func newParagraphs(name string, text []byte, first map[string]place) []byte {
	var list []string
	var last place
	for i, paragraph := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n\n") {
		p, known := first[paragraph]
		switch {
		case !known:
			first[paragraph] = place{name, i + 1}
			list = append(list, paragraph)
		case p == last: // one more of a row
			row, _, _ := strings.Cut(list[len(list)-1], "-")
			list[len(list)-1] = fmt.Sprintf("%s-%d]", strings.TrimSuffix(row, "]"), p.at)
		default:
			list = append(list, fmt.Sprintf("[%s %d]", p.header, p.at))
		}
		last = place{p.header, p.at + 1}
	}
	return []byte(strings.Join(list, "\n\n") + "\n")
}

// otherLines returns the lines of a text that are not those of another; all of them if it has more or fewer.
func otherLines(text, other []byte) []byte {
	lines, others := bytes.SplitAfter(text, []byte("\n")), bytes.SplitAfter(other, []byte("\n"))
	if len(lines) != len(others) {
		return text
	}
	var list []byte
	for i, line := range lines {
		if !bytes.Equal(line, others[i]) {
			list = append(list, line...)
		}
	}
	return list
}

// A header that is the same on all machines names no word size; any other header is for machines of one word size.
func TestMachines(t *testing.T) {
	big, small, arm := all(t, "amd64"), all(t, "386"), all(t, "arm64")
	for name, text := range big {
		if string(text) != string(arm[name]) {
			t.Errorf("%s differs on arm64", name)
		}
		says := strings.Contains(string(text), "sizeof(void *) == 8")
		if same := string(text) == string(small[name]); same == says {
			t.Errorf("%s: the same for 32 bits: %t, says for how many bits it is: %t", name, same, says)
		}
	}
	if !strings.Contains(string(small["OfNumbers"]), "sizeof(void *) == 4") {
		t.Error("the header for 386 does not say so")
	}
}

// The offsets that headers assert are those that the Go compiler has chosen.
func TestLayoutsAreGos(t *testing.T) {
	files := all(t, reflectArch(t))
	for _, item := range items {
		typ := reflect.TypeOf(item)
		text := string(files["Of"+typeName(item)])
		name := path.Base(typ.PkgPath()) + "_" + strings.NewReplacer("[", "_", ",", "_", "]", "").Replace(typ.Name())
		switch {
		case typ.Kind() != reflect.Struct:
			name = "scene_Of" + typ.Name() + "Item"
		case typ.PkgPath() == reflect.TypeFor[scene.RowsItem]().PkgPath(): // other types have the same names
			name += "_2"
			fallthrough
		default:
			checkFields(t, text, name, typ)
		}
		for what, n := range map[string]uintptr{"sizeof(%s) == %d,": typ.Size(), "POOLGEN_ALIGNOF(%s) == %d,": uintptr(typ.Align())} {
			if want := fmt.Sprintf(what, name, n); !strings.Contains(text, want) {
				t.Errorf("%s is not in the header", want)
			}
		}
	}
}

// checkFields compares the offsets of a struct's fields with those in a header.
func checkFields(t *testing.T, text, name string, typ reflect.Type) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		member := map[string]string{"class": "class__", "größe": "gru00F6u00DFe"}[f.Name]
		if slices.Contains(strings.Fields("template int8_t __global__ linux _Bool _Static_assert NULL EOF INFINITY NAN errno size_t I noreturn POOLGEN_ALIGNAS"), f.Name) {
			member = f.Name + "_"
		}
		if member == "" {
			member = f.Name
		}
		want := fmt.Sprintf("POOLGEN_OFFSETOF(%s, %s) == %d,", name, member, f.Offset)
		if has := strings.Contains(text, want); has == (f.Name == "_" || f.Type.Size() == 0) {
			t.Errorf("%s in the header: %t\n%s", want, has, text)
		}
	}
}

// reflectArch is the architecture of this test.
func reflectArch(t *testing.T) string {
	if arch := new(Source).target(); arch != "" {
		return arch
	}
	t.Fatal("no architecture")
	return ""
}

// refusals returns the findings about items, by item. Those of a package share a pool file, so that the package is loaded once.
func refusals[T any](t *testing.T, items map[string]T) map[string]spec.Diagnostics {
	t.Helper()
	pools := map[string]string{}
	for item := range items {
		name, _, _ := strings.Cut(item, ".")
		pools[name] += fmt.Sprintf("  - name: Of%s\n    item: %s\n    c_header: true\n", strings.ReplaceAll(item, ".", ""), item)
	}
	byItem := map[string]spec.Diagnostics{}
	for _, list := range pools {
		_, found := headers(t, "amd64", list)
		for _, d := range found {
			_, about, _ := strings.Cut(d.Message, "no C header for ")
			item, _, _ := strings.Cut(about, ": ")
			byItem[item] = append(byItem[item], d)
		}
	}
	return byItem
}

// An item that C cannot represent is refused. The finding is at the item and names the field.
func TestRefused(t *testing.T) {
	items := map[string]string{
		"odd.Texts": "field Inner.Name is a string", "odd.Points": "field Next is a pointer", "odd.Slices": "field Rows is a slice", "odd.Maps": "field M is a map",
		"odd.Funcs": "field F is a function", "odd.Chans": "field C is a channel", "odd.Any": "field A is an interface", "odd.Hidden": "field _ is a string",
		"odd.Unsafe": "field A is an unsafe.Pointer", "odd.Link": "the type is a pointer", "odd.Nothing": "the type has no size", "broken.Endless": "the type is larger than any memory",
		"odd.Pair": "the type is generic", "odd.Half": "the type is generic", "odd.Missing": "the type is not declared", "missing.Type": "the type is not declared",
		"broken.Broken": "the type does not compile", "broken.Twice": "the type does not compile", "broken.Long": "the type does not compile",
		"broken.Again": "the type does not compile", "broken.Other": "the type does not compile", "broken.Within": "field A is of a type that does not compile",
		"broken.Holder": "field Inner is of a type that does not compile", "other.Outer": "field A is of a type that does not compile",
		"torn.Torn": "the type does not compile", "other.Torn": "field A is of a type that does not compile",
	}
	findings := refusals(t, items)
	for item, want := range items {
		found := findings[item]
		if len(found) != 1 || found[0].Code != spec.CodeHeader || !strings.Contains(found[0].Message, "no C header for "+item+": "+want) || found[0].Pos.Column != 11 || found[0].Help == "" {
			t.Errorf("%s: %v, want %q", item, found, want)
		}
	}
}

// A type that does not compile is reported with the compiler's message, and the place if there is one. For a type that compiles, errors elsewhere are
// not reported.
func TestRefusedWithWhatTheCompilerSays(t *testing.T) {
	items := map[string]struct {
		line int
		says string
	}{
		"broken.Broken": {8, "undefined: undeclared"}, "broken.Holder": {13, "A redeclared"}, "broken.Wrong": {25, "undefined: undeclared"}, "broken.Again": {13, "A redeclared"},
		"broken.Within": {33, "A redeclared"}, "torn.Torn": {0, "the go command says: "}, "missing.Type": {0, "the go command says: "},
		"broken.Text": {}, "broken.Missing": {}, "odd.Texts": {}, "odd.Missing": {},
	}
	findings := refusals(t, items)
	for item, want := range items {
		found := findings[item]
		var note spec.Note
		if len(found) == 1 && len(found[0].Notes) == 1 {
			note = found[0].Notes[0]
		}
		if len(found) != 1 || note.Pos.Line != want.line || !strings.Contains(note.Message, want.says) || (note.Message == "") != (want.says == "") {
			t.Errorf("%s: %v, with the note %v, want %v", item, found, note, want)
		}
	}
}

// If the go command does not work, the error says why.
func TestRefusedWithoutGo(t *testing.T) {
	pools := "  - {name: Foo, item: odd.Plain, c_header: true}\n"
	for setting, want := range map[[2]string]string{
		{"GOFLAGS", "-nonsense"}: "the type does not load: go: parsing $GOFLAGS", {"PATH", ""}: "the type does not load: go command required, not found",
	} {
		t.Run(setting[0], func(t *testing.T) {
			t.Setenv(setting[0], setting[1])
			if _, found := headers(t, "amd64", pools); len(found) != 1 || !strings.Contains(found[0].Message, want) || strings.Contains(found[0].Message, "stderr") {
				t.Errorf("%v, want %q", found, want)
			}
		})
	}
}

// A type that does not need the broken declarations has a header.
func TestErrorsElsewhereDoNoHarm(t *testing.T) {
	for _, item := range []string{"broken.Sound", "broken.Grouped"} {
		if files, found := headers(t, "amd64", fmt.Sprintf("  - {name: Foo, item: %s, c_header: true}\n", item)); len(files) != 1 {
			t.Errorf("%s: %v", item, found)
		}
	}
}

// Pools without a header cost no call of the go command: the test runs without one.
func TestNoHeaders(t *testing.T) {
	s := Source{Environ: []string{"PATH="}, Dir: "/nowhere", Output: "/nowhere"}
	files, found := s.Headers(context.Background(), plan(t, "  - {name: Foo, item: odd.Plain}\n"), "")
	if len(files) > 0 || len(found) > 0 {
		t.Errorf("%v, %v", files, found)
	}
}
