package blocks_test

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/blocks"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
	"github.com/poolgen/poolgen/tests/tempmod"
)

func TestSummaries(t *testing.T) {
	dir := vettest.Module(t, tempmod.Read(t, "testdata"))
	vettest.Run(t, dir, blocks.Analyzer, "./summaries")
}
