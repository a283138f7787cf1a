package docs

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

var update = flag.Bool("update", false, "write the generated pages again")

// The committed reference and schema are up to date with the tables.
func TestGeneratedPages(t *testing.T) {
	language, err := Language()
	fatal.If(t, err)
	for name, want := range map[string][]byte{"docs/language.md": language, "docs/poolgen.schema.json": spec.Schema()} {
		file := filepath.Join(root, name)
		if *update {
			fatal.If(t, os.WriteFile(file, want, 0o644))
		}
		got, err := os.ReadFile(file)
		fatal.If(t, err)
		if got = bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")); !bytes.Equal(got, want) {
			t.Errorf("%s is not what the tables of spec say: run go test ./cmd/poolgen/internal/docs -update", name)
		}
	}
}

// Every key of a pool has its section, once.
func TestEveryKeyIsInTheReference(t *testing.T) {
	var grouped, keys []string
	for _, g := range groups {
		grouped = append(grouped, g.keys...)
	}
	for _, k := range spec.Keys(spec.PoolSection) {
		keys = append(keys, k.Name)
	}
	slices.Sort(grouped)
	slices.Sort(keys)
	if !slices.Equal(grouped, keys) {
		t.Errorf("the groups have the keys %v,\nthe language %v", grouped, keys)
	}
	for name := range notes {
		section, key, _ := strings.Cut(name, ".")
		if !slices.ContainsFunc(spec.Keys(spec.Section(section)), func(k spec.Key) bool { return k.Name == key }) {
			t.Errorf("a note for %s, which is no key", name)
		}
	}
}
