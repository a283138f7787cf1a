package blocks_test

import (
	"maps"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/blocks"
	"github.com/poolgen/poolgen/tests/tempmod"
)

func TestSummaries(t *testing.T) {
	t.Setenv("CGO_ENABLED", "0") // otherwise loading would rebuild packages with cgo
	t.Setenv("GOFLAGS", "-mod=mod")
	files := tempmod.Read(t, "../testdata") // for its pools
	maps.Copy(files, tempmod.Read(t, "testdata"))
	analysistest.Run(t, tempmod.Generated(t, "example.com/vet", files), blocks.Analyzer, "./summaries")
}
