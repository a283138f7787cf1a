package pools

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// Analyzers know what each call of the API does, but for those that they do not follow.
func TestEachCallHasAnOp(t *testing.T) {
	unfollowed := []string{"Track", "Untrack", "View", "FreeView", "Export", "Share"}
	for _, c := range spec.Calls {
		if known := poolMethods[c.Method()] != None; known == slices.Contains(unfollowed, c.Method()) {
			t.Errorf("%s: known %t", c.Method(), known)
		}
	}
}
