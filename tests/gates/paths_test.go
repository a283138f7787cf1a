package gates

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strconv"
	"strings"
	"testing"

	modpath "golang.org/x/mod/module"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/large"
)

// parts are what the names of directories are made of.
var parts = strings.Fields("a B 9 - . _ ~ + @ ! con CON Lpt1 com0 vendor testdata ä e\u0301 日 \u200b $ = # % / ~1 .go")

// TestOutputsCanBeImported compares the outputs and imports that are accepted with the import paths that the go command accepts.
func TestOutputsCanBeImported(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	accepted := [2]int{}
	enough := large.Or(500, 50)
	for range 40 * enough {
		var name string
		for range 1 + random.IntN(4) {
			name += parts[random.IntN(len(parts))]
		}
		for i, form := range []struct{ file, path string }{
			{"version: 1\npackage: p\noutput: %s\npools: [{name: A}]\n", name},
			{"version: 1\npackage: p\nimports: {q: %s}\npools: [{name: A, item: q.T}]\n", "example.com/" + name},
		} {
			text := fmt.Sprintf(form.file, strconv.Quote(form.path))
			good := modpath.CheckImportPath(path.Join("example.com", form.path)) == nil
			doc, found := spec.Load("poolgen.yaml", []byte(text))
			if doc != nil && len(found) == 0 {
				_, found = doc.Validate(spec.Env{Dir: "p"})
			}
			switch plain := strings.Trim(name, "aB9") == ""; {
			case len(found) == 0 && !good:
				t.Errorf("accepted:\n%s", text)
			case len(found) == 0:
				accepted[i]++
			case plain:
				t.Errorf("refused: %s", found.Text(false))
			}
		}
	}
	if accepted[0] < enough || accepted[1] < enough {
		t.Errorf("%v were accepted: too few", accepted)
	}
}
