//go:build amd64 || arm64

package layout

import (
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// The structs have the sizes of those of C, and the fields that C asserts lie where it says.
func TestLayoutIsThatOfC(t *testing.T) {
	types := map[string]reflect.Type{}
	for _, v := range []any{Location{}, AccessDesc{}, PoolProps{}, AllocationProps{}, ArrayDesc{}, SparseProps{}, ArrayMap{}, Copy2D{}, Edge{}} {
		types[strings.ToLower(reflect.TypeOf(v).Name())] = reflect.TypeOf(v)
	}
	content, err := os.ReadFile("../native/layout.h")
	if err != nil {
		t.Fatal(err)
	}
	text, checked := string(content), 0
	for _, m := range regexp.MustCompile(`(?m)^SIZE\((\w+), (\d+)\)`).FindAllStringSubmatch(text, -1) {
		of := types[strings.ReplaceAll(m[1], "_", "")]
		if of == nil {
			if m[1] != "pointer_token" { // bytes, in Go
				t.Errorf("no struct %s in Go", m[1])
			}
			continue
		}
		checked++
		if size := strconv.Itoa(int(of.Size())); size != m[2] {
			t.Errorf("%s has %s bytes in C, %s in Go", m[1], m[2], size)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^AT\((\w+), (\w+), (\d+)\)`).FindAllStringSubmatch(text, -1) {
		f, ok := types[strings.ReplaceAll(m[1], "_", "")].FieldByName(camel(m[2]))
		if !ok || strconv.Itoa(int(f.Offset)) != m[3] {
			t.Errorf("%s.%s lies at %s in C, in Go there is %v at %d", m[1], m[2], m[3], ok, f.Offset)
		}
		checked++
	}
	if checked < 25 {
		t.Errorf("only %d sizes and places were found", checked)
	}
}

// camel returns a name of C as Go writes it: from_host is FromHost.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		words[i] = string(unicode.ToUpper(rune(w[0]))) + w[1:]
	}
	return strings.Join(words, "")
}
