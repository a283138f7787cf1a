//go:build !cudasim

package nccl_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
)

// Without a library every function says so, and what was tried.
func TestWithoutLibrary(t *testing.T) {
	if nccl.LibraryPath() != "" {
		t.Skip("there is an NCCL on this machine")
	}
	todo := "; install NCCL, or name its library in POOLGEN_NCCL_LIBRARY"
	if cuda.Backend() == "none" {
		todo = "; " + cuda.ResultNoCgo.Text()
	}
	_, err := nccl.New(context.Background(), nccl.UniqueID{}, 1, 0, 0)
	_, idErr := nccl.NewUniqueID()
	_, versionErr := nccl.Version()
	_, adoptErr := nccl.Adopt(1)
	for name, err := range map[string]error{
		"New": err, "NewUniqueID": idErr, "Version": versionErr, "Adopt": adoptErr, "Group": nccl.Group(func() error { return nil }),
	} {
		if !errors.Is(err, nccl.ErrNoLibrary) || !strings.HasPrefix(err.Error(), "nccl: no library: ") || !strings.HasSuffix(err.Error(), todo) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Log(err)
}
