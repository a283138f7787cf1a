package specialize_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/templates/specialize"
	"github.com/poolgen/poolgen/tests/fatal"
)

// givenLibrary has a core ex/c and shells over it.
var givenLibrary = specialize.Library{
	"ex/f": {"f.go": "package f\n\nconst (\n\t//poolgen:param\n\tOn = true\n\t//poolgen:param\n\tLoud = true\n\t//poolgen:param\n\tIdle = true\n\t//poolgen:param\n\tSaid = true\n)\n"},
	"ex/c": {"c.go": `package c

import "ex/f"

//poolgen:param
const size = 8

// Core has a size.
type Core struct{ all [size]byte }

const Max = 1

var _ = Max

type Other struct{}

//poolgen:if f.On
func (c *Core) Rare() {}

func (c *Core) Take() uint64 {
	if f.Loud {
		println()
	}
	return uint64(len(c.all))
}
`},
	"ex/s":     {"s.go": "package s\n\nimport (\n\t\"ex/c\"\n\t\"ex/f\"\n)\n\ntype Pool struct{ c c.Core }\n\nfunc (p *Pool) Take() uint64 { const _ = f.Idle; return p.c.Take() }\n"},
	"ex/rare":  {"s.go": "package s\n\nimport \"ex/c\"\n\nfunc F(x *c.Core) { x.Rare() }\n"},
	"ex/other": {"s.go": "package s\n\nimport \"ex/c\"\n\nvar V c.Other\n"},
	"ex/max":   {"s.go": "package s\n\nimport \"ex/c\"\n\nconst D = c.Max\n"},
	"ex/said":  {"s.go": "package s\n\nimport \"ex/f\"\n\n// F does nothing. If [f.Said], it is said.\nfunc F() { const _ = f.On }\n"},
	"ex/none":  {"s.go": "package s\n\nfunc F() {}\n"},
}

func TestRefusedGiven(t *testing.T) {
	s := specialize.New(givenLibrary)
	core := specialize.Instance{Root: "ex/c", Want: "Core", Prefix: "x", Bind: map[string]string{"f.On": "false"}}
	made, err := s.Specialize(core)
	fatal.If(t, err)
	all := core
	all.Want = ""
	whole, err := s.Specialize(all)
	fatal.If(t, err)
	foreign, err := specialize.Specialize(givenLibrary, core)
	fatal.If(t, err)
	given := func(root string, r *specialize.Result) specialize.Instance {
		return specialize.Instance{Root: root, Given: map[string]*specialize.Result{"ex/c": r}}
	}
	for _, test := range []struct {
		name string
		inst specialize.Instance
		want string
	}{
		{"no template", specialize.Instance{Root: "ex/none", Given: map[string]*specialize.Result{"ex/z": made}}, `given package "ex/z" is no template`},
		{"not imported", given("ex/none", made), `no template of the instance imports "ex/c", which is given`},
		{"of another", given("ex/s", foreign), "was not made by this Specializer"},
		{"of nobody", given("ex/s", &specialize.Result{}), "was not made by this Specializer"},
		{"pruned method", given("ex/rare", made), "rare/s.go:5:23: use of Rare, which is given without it"},
		{"unwanted type", given("ex/other", made), "use of Other, which is given without it"},
		{"constant", given("ex/max", whole), "use of Max: of what is given only types can be named"},
		{"parameter of what is given", specialize.Instance{Root: "ex/s", Given: map[string]*specialize.Result{"ex/c": made},
			Bind: map[string]string{"c.size": "9"}}, "parameter c.size: no template package of this name is linked"},
		{"nothing wanted", specialize.Instance{Root: "ex/c", Want: "size2"}, "the root declares no size2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := s.Specialize(test.inst)
			checkError(t, err, test.want)
		})
	}
}

// An import of the caller has another name than what is given, as both are in one package.
func TestImportsGiveWayToWhatIsGiven(t *testing.T) {
	lib := specialize.Library{
		"ex/c": givenLibrary["ex/c"], "ex/f": givenLibrary["ex/f"],
		"ex/s": {"s.go": "package s\n\nimport \"ex/c\"\n\n//poolgen:type\ntype Item = int\n\ntype Pool struct {\n\tcore c.Core\n\titem Item\n}\n"},
	}
	s := specialize.New(lib)
	core, err := s.Specialize(specialize.Instance{Root: "ex/c", Want: "Core", Names: map[string]string{"c.Core": "heapCore"}})
	fatal.If(t, err)
	shell, err := s.Specialize(specialize.Instance{Root: "ex/s", Given: map[string]*specialize.Result{"ex/c": core},
		Types: map[string]string{"s.Item": "heapCore.T"}, Imports: map[string]string{"heapCore": "example.com/foreign"}})
	fatal.If(t, err)
	const want = "type Pool struct {\n\tcore heapCore\n\titem examplecomheapCore.T\n}\n"
	if shell.Text != want || len(shell.Imports) != 1 || shell.Imports[0].Name != "examplecomheapCore" {
		t.Errorf("got %+v\n%s", shell.Imports, shell.Text)
	}
}

// What one result is given must not show in the next, though the two have their analysis in common.
func TestGivenInTurn(t *testing.T) {
	s := specialize.New(givenLibrary)
	for _, prefix := range []string{"a", "b"} {
		for _, size := range []string{"8", "9"} {
			core, err := s.Specialize(specialize.Instance{Root: "ex/c", Want: "Core", Prefix: prefix + size, Bind: map[string]string{"c.size": size}})
			fatal.If(t, err)
			shell, err := s.Specialize(specialize.Instance{Root: "ex/s", Given: map[string]*specialize.Result{"ex/c": core}})
			fatal.If(t, err)
			if want := "type Pool struct{ c " + core.Names["c.Core"] + " }"; !strings.Contains(shell.Text, want) || !strings.Contains(core.Text, prefix+size) {
				t.Errorf("got %s, want %s", shell.Text, want)
			}
		}
	}
}

func TestReduce(t *testing.T) {
	s := specialize.New(givenLibrary)
	core, err := s.Specialize(specialize.Instance{Root: "ex/c"})
	fatal.If(t, err)
	all := map[string]string{"f.On": "true", "f.Loud": "true", "f.Idle": "true", "f.Said": "true", "c.size": "8", "c.Max": "2", "c.none": "1", "x.unknown": "1"}
	for _, test := range []struct {
		inst specialize.Instance
		want string
	}{
		{specialize.Instance{Root: "ex/c"}, "c.size f.Loud f.On"},
		{specialize.Instance{Root: "ex/said"}, "f.On f.Said"},
		{specialize.Instance{Root: "ex/s"}, "c.size f.Idle f.Loud f.On"},
		{specialize.Instance{Root: "ex/s", Given: map[string]*specialize.Result{"ex/c": core}}, "f.Idle"},
	} {
		test.inst.Bind = all
		got, err := s.Reduce(test.inst)
		fatal.If(t, err)
		if keys := strings.Join(slices.Sorted(maps.Keys(got.Bind)), " "); keys != test.want || len(all) != 8 {
			t.Errorf("%s: got %s, want %s", test.inst.Root, keys, test.want)
		}
	}
	if _, err := s.Reduce(specialize.Instance{Root: "ex/z"}); err == nil {
		t.Error("an instance of nothing is reduced")
	}
}
