package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// BenchmarkFiles100 turns the checked plan of a hundred pools of all kinds into text, with templates that have been parsed and analysed:
// the rest is most of the work of `poolgen generate` with a large file. The whole command is measured by BenchmarkGenerate100 of package
// cli.
func BenchmarkFiles100(b *testing.B) {
	plan := planOf(b, hundred())
	b.ReportAllocs()
	for b.Loop() {
		if _, found := Files(b.Context(), plan, "poolgen.yaml", "test", nil, nil); len(found) > 0 {
			b.Fatal(found.Text(false))
		}
	}
}

// hundred writes a pool file of a hundred pools, of many suballocators and with several sets of parameters. The file is always the same, because
// times have to be comparable.
func hundred() string {
	kinds := []string{"fixed", "fixed", "heap", "heap\n    fit: best", "binned", "classes", "ring", "bump"}
	var b strings.Builder
	b.WriteString("version: 1\npools:\n")
	for i := range 100 {
		kind := kinds[i%len(kinds)]
		fmt.Fprintf(&b, "  - name: Pool%c%cx\n    suballocator: %s\n", 'A'+i/26, 'a'+i%26, kind)
		if kind == "fixed" {
			fmt.Fprintf(&b, "    item: \"[%d]uint64\"\n", i%7+1)
		}
		fmt.Fprintf(&b, "    concurrency: %s\n", []string{"mutex", "none"}[i%2])
	}
	return b.String()
}

// planOf reads and checks a pool file.
func planOf(tb testing.TB, text string) *spec.Plan {
	tb.Helper()
	doc, found := spec.Load("poolgen.yaml", []byte(text))
	if doc == nil {
		tb.Fatal(found.Text(false))
	}
	plan, found := doc.Validate(spec.Env{Dir: "pools"})
	if len(found) > 0 {
		tb.Fatal(found.Text(false))
	}
	return plan
}
