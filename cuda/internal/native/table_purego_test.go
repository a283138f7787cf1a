//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Both backends have the same functions, in the same order, and require the same ones of a library; and a call has room for the arguments of each.
func TestTableIsThatOfC(t *testing.T) {
	content, err := os.ReadFile("functions.h")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(content), "\\\n", " ") // lines that go on
	list := regexp.MustCompile(`\bF\((\w+), "(\w+)", (\w+),\s+\(([^()]*(?:\([^()]*\)[^()]*)*)\)\)`).FindAllStringSubmatch(text, -1)
	fields := reflect.TypeOf(table)
	if Backend != "purego" {
		t.Errorf("the backend is %q", Backend)
	}
	if len(list) < 100 || len(list) != fields.NumField() {
		t.Fatalf("%d functions in C, %d in Go", len(list), fields.NumField())
	}
	for i, f := range list {
		field := fields.Field(i)
		got := []string{field.Name, field.Tag.Get("symbol"), strings.ToUpper(field.Tag.Get("need"))}
		if !reflect.DeepEqual(got, f[1:4]) {
			t.Errorf("function %d: %q in C, %q in Go", i, f[1:4], got)
		}
		if n := len(strings.Split(f[4], ",")); n > mostArgs {
			t.Errorf("%s has %d arguments, and there is room for %d", f[1], n, mostArgs)
		}
	}
}
