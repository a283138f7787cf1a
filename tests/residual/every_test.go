package residual

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/templates"
)

// elsewhere lists parameters of pools on a device, whose tests need a driver, of debug builds, and of comments alone, with the generated pools that vary
// them.
var elsewhere = map[string]string{
	"feature.Shareable":  "../pools/sharing",
	"feature.ZeroDevice": "../pools/devices",
	"feature.ByDriver":   "../pools/streams/pools",
	"span.granule":       "../pools/debugging/pools",
	"span.bytes":         "../pools/debugging/pools",
}

// TestEveryParameter checks that the matrix varies every parameter of every template.
func TestEveryParameter(t *testing.T) {
	varied := map[string]bool{}
	for _, s := range subjects {
		for _, p := range s.params {
			varied[p.key] = true
		}
		if s.derive != nil {
			for key := range s.derive(tuple{}) {
				varied[key] = true
			}
		}
	}
	for path, files := range templates.Library() {
		pkg := path[len(templates.Path)+1:]
		for _, name := range parameters(t, files) {
			if dir := elsewhere[pkg+"."+name]; dir != "" {
				if _, err := os.Stat(filepath.Join(dir, "poolgen.yaml")); err != nil {
					t.Errorf("%s.%s: %v", pkg, name, err)
				}
			} else if !varied[pkg+"."+name] {
				t.Errorf("the matrix does not vary the parameter %s.%s", pkg, name)
			}
		}
	}
}
