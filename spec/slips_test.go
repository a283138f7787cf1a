package spec

import (
	"slices"
	"strings"
	"testing"
)

// orderly is a pool file with every form of value.
const orderly = `# Pools of the scene.
version: 1
package: scene
imports:
  mesh: example.com/app/mesh
budgets:
  - {name: Scene, limit: 2GiB}
  - name: Sound
    limit: 64MiB
defaults: {growth: double, prime: 1MiB}
pools:
  - name: Vertex
    doc: "Corners, by 'mesh'." # quoted
    item: mesh.Vertex
    budget: Scene
    on_exhausted: [trim, "pool:Spare", error]
    trim:
      keep: 1MiB
      idle: 30s
  - name: Spare
    item: mesh.Vertex
  - {name: Text, suballocator: binned, bins: [16B,
      64B, 1KiB]}
  - name: Matrix
    doc: |
      Sixteen floats.
      In a row.
    item: '[16]float32'
`

// A sign too many or too few is reported on its line, or on a line beside it that shows the mistake, and not with a message of the YAML library.
func TestSlipsAreFoundWithinALine(t *testing.T) {
	if _, found := check(t, orderly, ""); len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	broken, near := 0, 0
	try := func(line int, src string) {
		_, found := check(t, src, "")
		if len(found) == 0 {
			return // as good as before
		}
		broken++
		if distanceOf(found[0].Pos.Line, line) <= 1 {
			near++
		}
		for _, d := range found {
			if strings.Contains(d.Message, "not valid YAML near") || d.Help == "" {
				t.Errorf("line %d: %s\n%s", line, strings.Split(src, "\n")[line-1], d.Text(false))
			}
		}
	}
	for i := range orderly {
		line := 1 + strings.Count(orderly[:i], "\n")
		if strings.IndexByte(" :-,[]{}\"'|\n", orderly[i]) >= 0 {
			try(line, orderly[:i]+orderly[i+1:])
		}
		for _, more := range []string{" ", ":", "-", ",", "[", "}", "\"", "'", "\t", "\n"} {
			try(line, orderly[:i]+more+orderly[i:])
		}
	}
	t.Logf("%d of %d are found within a line", near, broken)
	if near*100 < broken*99 {
		t.Errorf("only %d of %d are found within a line", near, broken)
	}
}

// A legal value of a key is not taken for a mistake.
func TestHabitsAreNoValues(t *testing.T) {
	for _, k := range Keys(PoolSection) {
		for word, meant := range valueHabits[k.Name] {
			if slices.Contains(k.Values, word) || k.Kind == ChoiceKind && !slices.Contains(k.Values, meant) {
				t.Errorf("%s: %s is taken for %s, and the values are %v", k.Name, word, meant, k.Values)
			}
		}
	}
}
