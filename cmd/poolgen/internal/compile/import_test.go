package compile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
)

// TestImportsSayTheirNames: an import names its package if the path does not show the name, as with a major version at its end.
func TestImportsSayTheirNames(t *testing.T) {
	for imported, want := range map[string]string{
		"mesh: example.com/mesh": `"example.com/mesh"`, "mesh: example.com/mesh/v2": `mesh "example.com/mesh/v2"`,
		"v2: example.com/mesh/v2": `v2 "example.com/mesh/v2"`, "vx: example.com/vx": `"example.com/vx"`, "v2x: example.com/v2x": `"example.com/v2x"`,
	} {
		qualifier, _, _ := strings.Cut(imported, ":")
		for name, text := range generated(t, "version: 1\nimports: {"+imported+"}\npools: [{name: Foo, item: "+qualifier+".T}]\n") {
			if name != lower.PackageFile && !bytes.Contains(text, []byte("\n\t"+want+"\n")) {
				t.Errorf("%s: %s does not say %s:\n%.400s", imported, name, want, text)
			}
		}
	}
}
