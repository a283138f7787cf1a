package nccl

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// There is a table, or a reason why not, in every build.
func TestTable(t *testing.T) {
	n, missing := Table()
	switch {
	case (n == nil) == (missing == nil):
		t.Errorf("%v and %v", n, missing)
	case n != nil && n.Path() == "":
		t.Error("a library without a path")
	case missing != nil && (missing.Detail == "" || missing.Result != abi.NCCLNoLibrary && missing.Result != abi.NCCLNoFunction):
		t.Errorf("a reason that says nothing: %+v", missing)
	}
}
