package compile

import (
	"fmt"
	"strings"
	"testing"
)

// Unexported names that two pools would both declare are refused with both places.
func TestClashes(t *testing.T) {
	for _, test := range []struct {
		pools string
		want  string // "" for none
	}{
		{"{name: Foo, suballocator: binned}, {name: FooHeap, item: int8}", "4:46: PG023: pool \"FooHeap\": it collides with pool \"Foo\": both would declare fooHeapChunk"},
		{"{name: Foo, suballocator: heap}, {name: FooBinned, suballocator: binned}", ""},
		{"{name: Foo, suballocator: binned}, {name: Foobinned, suballocator: binned}", ""},
		{"{name: Foo, suballocator: binned}, {name: Bar, suballocator: binned}", ""},
	} {
		plan := planOf(t, fmt.Sprintf("version: 1\nbudgets: []\npools:\n  [%s]\n", test.pools))
		files, found := Files(plan, "poolgen.yaml", "test", nil)
		text := ""
		for _, d := range found {
			text += d.Error() + "\n"
			if len(d.Notes) != 1 || d.Notes[0].Pos != plan.Pools[0].Pos {
				t.Errorf("notes: %+v", d.Notes)
			}
		}
		if (test.want == "") != (text == "") || !strings.Contains(text, test.want) || (files == nil) != (test.want != "") {
			t.Errorf("%s: got %s", test.pools, text)
		}
	}
}

func TestRelated(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{{"foo", "fooBar", true}, {"fooBar", "foo", true}, {"foo", "foo", true}, {"foo", "foobar", false}, {"foo1", "foo10", false}, {"foo", "bar", false}, {"foo", "fooÄ", true}} {
		if got := related(test.a, test.b); got != test.want {
			t.Errorf("%s, %s: %t", test.a, test.b, got)
		}
	}
}
