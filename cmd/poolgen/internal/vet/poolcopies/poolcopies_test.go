package poolcopies_test

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/poolcopies"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

func TestRule(t *testing.T) { vettest.Run(t, poolcopies.Analyzer) }
