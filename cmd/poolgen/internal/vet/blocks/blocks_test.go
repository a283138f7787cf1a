package blocks_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/blocks"
)

func TestSummaries(t *testing.T) {
	t.Setenv("CGO_ENABLED", "0") // or packages of C are made anew to be loaded
	analysistest.Run(t, "../../../../..", blocks.Analyzer, "./cmd/poolgen/internal/vet/blocks/testdata/summaries")
}
