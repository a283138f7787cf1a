package replay

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// TestItemsCalledLikeVariables has item types, and packages of items, with the names of variables in the loops.
func TestItemsCalledLikeVariables(t *testing.T) {
	pools := []spec.Pool{
		{Name: "Foo", Suballocator: spec.Fixed, Item: spec.Item{Kind: spec.ItemUser, Type: "pool.T", Size: -1}},
		{Name: "Bar", Suballocator: spec.Heap, Item: spec.Item{Kind: spec.ItemUser, Type: "meter", Size: -1}},
	}
	plan := &spec.Plan{Imports: []spec.Import{{Qualifier: "pool", Path: "example.com/pool"}}}
	text := string(adapter("p", "example.com/harness", plan, pools))
	if !strings.Contains(text, "\tpool \"example.com/pool\"\n") {
		t.Error("the package is not reached")
	}
	for _, want := range []string{"\ntype zzBlockFoo = *pool.T\n", "\ntype zzBlockBar = []meter\n"} {
		if !strings.Contains(text, want) || strings.Count(text, want[strings.Index(want, "= ")+2:]) != 1 {
			t.Errorf("%q is not all that there is of the type:\n%s", want, text)
		}
	}
}
