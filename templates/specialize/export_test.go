package specialize

import (
	"fmt"
	"go/format"
	"strings"
	"testing"
)

// CheckLayout specialises an instance under several names and types with one Specializer, and wants what gofmt makes of each text as a
// whole: formatting what differs in names alone once must not show. It is for tests.
func CheckLayout(t testing.TB, s *Specializer, inst Instance) {
	t.Helper()
	names := inst.Names
	for _, prefix := range []string{inst.Prefix, "a", "httpConn", "aRatherLongNameOfAPoolForThingsThatAreMany", "v2", "é"} {
		inst.Prefix = prefix
		inst.Names = map[string]string{}
		for key := range names {
			inst.Names[key] = title(prefix) + "Named" + key[strings.IndexByte(key, '.')+1:]
		}
		for _, item := range []string{"", "uint64", "[3]mesh.Vertex", "Local", "[1 << 4]mesh.V"} {
			if inst.Types = map[string]string{}; item != "" {
				inst.Types["hostmem.Item"] = item
				inst.Imports = map[string]string{"mesh": "example.com/mesh", "runtime": "github.com/poolgen/poolgen/runtime"}
			}
			checkLayout(t, s, inst)
		}
	}
}

func checkLayout(t testing.TB, s *Specializer, inst Instance) {
	t.Helper()
	what := fmt.Sprint(inst.Root, inst.Replace, inst.Prefix, inst.Types)
	p, err := s.prepare(&inst)
	if err != nil && inst.Types["hostmem.Item"] != "" {
		return // numbers have no items
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	r, text, names, err := p.draft(&inst)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := p.verify(r, text, names); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	clause := r.clause("p")
	want, err := format.Source([]byte(clause + text + "\n"))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if clause+r.Text != string(want) {
		t.Errorf("%s: gofmt makes something else of the text as a whole", what)
	}
}
